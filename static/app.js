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
