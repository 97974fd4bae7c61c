// Rows ticked for a comparison stay ticked while the table is sorted, filtered and paged.
"use strict";
(() => {
  const chosen = new Set();
  const boxes = () => document.querySelectorAll('#results input[type="checkbox"][form="compare"]');

  function show(told = "") {
    const form = document.getElementById("compare");
    if (!form) return;
    for (const kept of form.querySelectorAll("[data-kept]")) kept.remove();
    const inSight = new Set();
    for (const box of boxes()) {
      inSight.add(box.value);
      box.checked = chosen.has(box.value);
    }
    for (const value of chosen) {
      if (inSight.has(value)) continue;
      const kept = Object.assign(document.createElement("input"), { type: "hidden", name: "offer", value });
      kept.dataset.kept = "";
      form.prepend(kept);
    }
    form.querySelector("b").textContent = chosen.size || "";
    form.querySelector("[role=status]").textContent = told;
  }

  document.addEventListener("change", (event) => {
    if (!event.target.matches('input[type="checkbox"][form="compare"]')) return;
    event.stopPropagation();
    const form = document.getElementById("compare");
    const full = event.target.checked && chosen.size >= Number(form.dataset.most);
    if (event.target.checked && !full) chosen.add(event.target.value);
    else chosen.delete(event.target.value);
    show(full ? form.dataset.full : "");
  });
  for (const come of ["htmx:after:swap", "rows:complete"]) document.addEventListener(come, () => show());
  addEventListener("pageshow", () => {
    for (const box of boxes()) if (box.checked) chosen.add(box.value);
    show();
  });
})();
