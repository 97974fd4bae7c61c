// Small comforts on top of pages that work without any script.
"use strict";

// A form that a response has redrawn shows what the address says; the field being typed in is left alone.
function settle(form) {
  for (const field of form.elements) {
    if (field === document.activeElement) continue;
    if (field.type === "checkbox" || field.type === "radio") field.checked = field.defaultChecked;
    else if (field.tagName === "SELECT") {
      const chosen = field.querySelector("option[selected]");
      field.value = chosen ? chosen.value : field.options[0]?.value ?? "";
    } else if ("defaultValue" in field) field.value = field.defaultValue;
  }
}

// A refused question leaves the form as it was filled in.
document.addEventListener("htmx:after:swap", () => {
  const form = document.getElementById("question");
  if (form && !document.querySelector("[data-refused]")) settle(form);
});

// Empty fields are not part of a question.
document.addEventListener("htmx:config:request", (event) => {
  const body = event.detail.ctx.request.body;
  if (!(body instanceof FormData)) return;
  const filled = [...body].filter(([, value]) => value !== "");
  for (const name of new Set(body.keys())) body.delete(name);
  for (const [name, value] of filled) body.append(name, value);
});

// On a phone the question starts closed, so that the answer is in sight.
const narrow = matchMedia("(max-width: 60rem)");
function fold() {
  if (!narrow.matches) return;
  for (const part of document.querySelectorAll("#question > details")) part.open = false;
}
fold();

// "/" goes to the search, arrows move along rows of the table.
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    const search = document.querySelector("[data-search]");
    if (!search) return;
    for (let part = search.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    search.focus();
    event.preventDefault();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const row = event.target.closest("tbody tr");
    const next = event.key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
    const link = next?.querySelector("a");
    if (link) { link.focus(); event.preventDefault(); }
  }
});
