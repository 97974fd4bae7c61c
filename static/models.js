// The model field as a combobox over its own datalist; files read into the field they belong to.
"use strict";
(() => {
  const popup = Object.assign(document.createElement("ul"), { id: "models-popup", className: "models-popup", hidden: true });
  popup.setAttribute("role", "listbox");
  let box = null;
  let active = -1;

  const plain = (text) => text.toLowerCase().replace(/[^a-z0-9. ]/g, "");
  const squeezed = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

  function entries() {
    return [...document.querySelectorAll("#models option")].map((option) => ({
      key: option.value, label: option.label, about: option.dataset.about ?? "", text: squeezed(option.value + option.label),
    }));
  }

  // The browser's own list would cover ours; a redrawn form brings it back.
  function take(input) {
    box = input;
    if (!popup.isConnected) document.body.append(popup); // going back brings another body
    input.removeAttribute("list");
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", popup.id]]) input.setAttribute(name, value);
    input.setAttribute("aria-expanded", String(!popup.hidden));
    popup.setAttribute("aria-label", input.dataset.list ?? "");
  }

  function close() {
    popup.hidden = true;
    active = -1;
    box?.setAttribute("aria-expanded", "false");
    box?.removeAttribute("aria-activedescendant");
  }

  function place() {
    const edge = box.getBoundingClientRect();
    popup.style.insetBlockStart = `${edge.bottom + scrollY + 2}px`;
    popup.style.left = `${edge.left + scrollX}px`;
    popup.style.minInlineSize = `${edge.width}px`;
    popup.style.maxInlineSize = `${Math.max(edge.width, Math.min(460, innerWidth - edge.left - 8))}px`;
  }

  function show() {
    const words = plain(box.value).split(" ").filter(Boolean).map(squeezed);
    const found = entries().filter((entry) => words.every((word) => entry.text.includes(word)));
    popup.replaceChildren(...found.map((entry, index) => {
      const item = document.createElement("li");
      item.id = `models-${index}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.dataset.key = entry.key;
      const name = document.createElement("bdi");
      name.textContent = entry.label;
      const about = document.createElement("small");
      about.textContent = entry.about;
      item.append(name, about);
      return item;
    }));
    if (!found.length) {
      const none = document.createElement("li");
      none.setAttribute("role", "option");
      none.setAttribute("aria-disabled", "true");
      none.textContent = box.dataset.none ?? "";
      popup.append(none);
    }
    active = -1;
    popup.hidden = false;
    box.removeAttribute("aria-activedescendant");
    box.setAttribute("aria-expanded", "true");
    place();
  }

  function mark(index) {
    const items = [...popup.querySelectorAll("[data-key]")];
    if (!items.length) return;
    items[active]?.setAttribute("aria-selected", "false");
    active = (index + items.length) % items.length;
    items[active].setAttribute("aria-selected", "true");
    items[active].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", items[active].id);
  }

  function choose(item) {
    box.value = item.dataset.key;
    close();
    box.dispatchEvent(new Event("change", { bubbles: true }));
  }

  document.addEventListener("focusin", (event) => {
    if (event.target.matches?.("[data-models]")) take(event.target);
  });
  document.addEventListener("focusout", (event) => {
    if (event.target === box) close();
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches?.("[data-models]")) { take(event.target); show(); }
  });
  document.addEventListener("click", (event) => {
    if (event.target === box && popup.hidden) show();
  });
  popup.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const item = event.target.closest("[data-key]");
    if (item) choose(item);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target !== box) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (popup.hidden) show();
      mark(event.key === "ArrowDown" ? active + 1 : Math.max(active, 0) - 1);
      event.preventDefault();
    } else if (event.key === "Enter" && !popup.hidden) {
      const item = popup.querySelectorAll("[data-key]")[active];
      if (item) { choose(item); event.preventDefault(); } else close();
    } else if (event.key === "Escape" && !popup.hidden) {
      close();
      event.preventDefault();
    }
  });
  document.addEventListener("htmx:after:swap", () => {
    if (document.activeElement?.matches("[data-models]")) take(document.activeElement);
  });

  // A chosen file is read here and goes where it would have been pasted.
  document.addEventListener("change", async (event) => {
    const into = event.target.dataset?.into && document.getElementById(event.target.dataset.into);
    const file = into && event.target.files?.[0];
    if (!file) return;
    event.stopPropagation();
    const text = await file.text();
    try { into.value = JSON.stringify(JSON.parse(text)); } catch { into.value = text; }
    event.target.value = "";
    const named = into.form?.elements.model;
    if (named) named.value = "";
    into.dispatchEvent(new Event("change", { bubbles: true }));
  }, true);

  // On a phone the answer lies below the form: whoever asks for it is taken there, whoever types is not.
  let asked = false;
  document.addEventListener("submit", (event) => { asked = event.target.id === "question"; });
  document.addEventListener("htmx:after:swap", () => {
    if (asked && matchMedia("(max-width: 60rem)").matches) document.getElementById("answer")?.scrollIntoView();
    asked = false;
  });
})();
