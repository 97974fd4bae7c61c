// Bookmarks of views and estimates, kept in this browser. A bookmark is a name and an address; nothing is ever applied
// by itself: the address of a page alone says what it shows.
"use strict";
(() => {
  const KEY = "rackrate.saved";

  function read() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      return Array.isArray(kept) ? kept.filter((one) => typeof one.name === "string" && /^\/(?!\/)/.test(one.href)) : [];
    } catch {
      return []; // storage that is switched off, or was filled by something else: nothing is saved
    }
  }

  function write(views) {
    localStorage.setItem(KEY, JSON.stringify(views));
    for (const box of document.querySelectorAll("[data-saved-list]")) show(box);
  }

  function button(text, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  }

  function line(box, views, view) {
    const link = document.createElement("a");
    link.href = view.href;
    link.textContent = view.name;
    link.dir = "auto";
    const rename = button(box.dataset.rename, () => {
      const name = prompt(box.dataset.ask, view.name)?.trim();
      if (name) write(views.map((one) => (one === view ? { ...one, name } : one)));
    });
    const remove = button(box.dataset.delete, () => write(views.filter((one) => one !== view)));
    for (const made of [rename, remove]) made.setAttribute("aria-label", `${made.textContent}: ${view.name}`);
    const item = document.createElement("li");
    item.append(link, rename, remove);
    return item;
  }

  function show(box) {
    const views = read();
    box.querySelector("ul").replaceChildren(...views.map((view) => line(box, views, view)));
    box.querySelector("[data-none]").hidden = views.length > 0;
    box.querySelector("[data-export]").hidden = views.length === 0;
  }

  function start(root) {
    for (const part of root.querySelectorAll("[data-saved]")) part.hidden = false;
    for (const box of root.querySelectorAll("[data-saved-list]:not([data-ready])")) {
      box.dataset.ready = "";
      show(box);
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-save]");
    if (!form) return;
    event.preventDefault();
    const field = form.querySelector("input");
    const view = { name: field.value.trim(), href: location.pathname + location.search };
    if (view.name) write([...read().filter((one) => one.name !== view.name), view]);
    field.value = "";
  });

  // An estimate is saved by following its link; its address is kept beside the views.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-bookmark]");
    if (!link) return;
    const view = { name: link.dataset.title, href: link.pathname + link.search };
    write([...read().filter((one) => one.name !== view.name), view]);
  });

  document.addEventListener("click", async (event) => {
    const all = event.target.closest("[data-export]");
    if (!all) return;
    const lines = read().map((view) => `- [${view.name.replace(/[[\]]/g, "\\$&")}](${location.origin}${view.href})`);
    await navigator.clipboard.writeText(lines.join("\n"));
    all.after(Object.assign(document.createElement("span"), { role: "status", textContent: ` ${all.closest("[data-saved-list]").dataset.copied}` }));
  });

  addEventListener("storage", (event) => {
    if (event.key === KEY) for (const box of document.querySelectorAll("[data-saved-list]")) show(box);
  });
  document.addEventListener("htmx:after:swap", () => start(document));
  start(document);
})();
