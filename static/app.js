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
const filled = (data) => {
  const kept = new FormData();
  for (const [name, value] of data) if (value !== "") kept.append(name, value);
  return kept;
};
document.addEventListener("htmx:config:request", ({ detail: { ctx: { request } } }) => {
  if (request.body instanceof FormData) request.body = filled(request.body);
});

// On a phone the question starts closed, so that the answer is in sight.
const narrow = matchMedia("(max-width: 60rem)");
function fold() {
  if (!narrow.matches) return;
  for (const part of document.querySelectorAll("#question > details")) part.open = false;
}
fold();

// What is filled in and not answered yet goes along with whatever is chosen beside the form (a heading, a chip, a switch);
// what is chosen there and not answered yet goes along with the form. So neither undoes the other, whichever is last.
const changes = (before, after) => [...new Set([...before.keys(), ...after.keys()])]
  .filter((name) => before.getAll(name).join() !== after.getAll(name).join())
  .map((name) => [name, after.getAll(name)]);
// Enter both changes a field and submits: the same question that is on its way already is not asked again.
const page = { form: () => document.getElementById("question"), typed: 0, chosen: 0, beside: [], underway: null };

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, ({ target, timeStamp }) => {
    if (target.form?.id === "question") page.typed = timeStamp;
  }, true);
}

function gather(data) {
  const asked = filled(data);
  for (const [name, values] of page.beside) {
    asked.delete(name);
    for (const value of values) asked.append(name, value);
  }
  return asked;
}

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail, { request, sourceElement: source } = ctx, form = page.form();
  if (!form || source.getAttribute("hx-target") !== form.getAttribute("hx-target")) return;
  ctx.asked = performance.now();
  if (source === form) {
    page.beside = page.beside.filter(([name]) => name !== "page");
    request.body = gather(request.body);
    const question = new URLSearchParams(request.body).toString();
    const gone = ctx.sourceEvent.timeStamp < page.chosen; // along with what was chosen
    if (gone || page.underway?.question === question) event.preventDefault();
    else page.underway = { ctx, question };
    return;
  }
  const then = new URLSearchParams(source.tagName === "FORM" ? request.body : new URL(request.action, location).search);
  page.beside = changes(new URLSearchParams(location.search), then);
  page.chosen = ctx.asked;
  if (!page.typed) return;
  request.action = form.getAttribute("hx-get");
  request.body = gather(new FormData(form));
});

document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (page.underway?.ctx === ctx) page.underway = null;
});

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (!ctx?.asked) return;
  page.beside = [];
  if (ctx.asked > page.typed) page.typed = 0;
});
