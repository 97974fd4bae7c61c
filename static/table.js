// The comparison table: keyboard, rows that unfold, copying, waiting and trouble. Everything here is a link, a form or
// a popover first and works, less comfortably, without a script.
"use strict";
(() => {
  const TYPING = "input:not([type=checkbox], [type=radio]), select, textarea";

  // ---- what is below the window is laid out after what is in it -------------------------------------------------
  function follow() {
    const next = document.querySelectorAll(".fast > .later");
    if (!next.length) return;
    next[0].classList.remove("later");
    if (next.length > 8) for (const far of [...next].slice(8)) far.classList.remove("later");
    requestAnimationFrame(() => setTimeout(follow));
  }
  const soon = () => requestAnimationFrame(() => setTimeout(follow));
  document.addEventListener("htmx:after:swap", soon);
  soon();

  // ---- a long table: its further rows come as text, and are put in piece by piece --------------------------------
  const MORE = /<noscript id="more">([^]*?)<\/noscript>/;
  const PIECE = 5; // bodies
  let table = null;
  let waiting = [];

  function put(count) {
    if (!table.isConnected) waiting = [];
    table.insertAdjacentHTML("beforeend", waiting.splice(0, count).join(""));
    if (!waiting.length) document.dispatchEvent(new Event("rows:complete"));
  }

  function fill() {
    if (!waiting.length) return;
    put(PIECE);
    requestAnimationFrame(() => setTimeout(fill));
  }

  function take(html) {
    table = document.querySelector("#offers > table");
    waiting = html.slice(html.indexOf("<tbody"), html.lastIndexOf("</table>")).split(/(?<=<\/tbody>)/);
    requestAnimationFrame(() => setTimeout(fill));
  }

  const inPage = document.getElementById("more");
  if (inPage) take(inPage.textContent);
  document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
    ctx.text = ctx.text.replace(MORE, (_, html) => {
      ctx.more = html;
      return "";
    });
  });
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx?.more) take(ctx.more);
  });
  addEventListener("beforeprint", () => waiting.length && put(waiting.length));

  // ---- rows unfold in place -------------------------------------------------------------------------------------
  function foldOf(row) {
    const next = row?.nextElementSibling;
    return next?.classList.contains("fold") ? next : null;
  }

  function shut(row, focus) {
    const fold = foldOf(row);
    if (!fold) return false;
    fold.remove();
    const link = row.querySelector("th a");
    link.setAttribute("aria-expanded", "false");
    if (focus) link.focus();
    return true;
  }

  async function unfold(link) {
    const row = link.closest("tr");
    if (shut(row, true)) return;
    const block = link.dataset.block ?? "details";
    const address = new URL(link.href);
    if (!link.dataset.block) {
      const now = new URLSearchParams(location.search);
      address.pathname += "/row";
      for (const name of ["price_of", "price_per", "currency", "lang"]) if (now.has(name)) address.searchParams.set(name, now.get(name));
    }
    const fold = document.createElement("tr");
    fold.className = "fold";
    fold.setAttribute("aria-busy", "true");
    const cell = fold.insertCell();
    cell.colSpan = row.cells.length;
    cell.className = "waits";
    row.after(fold);
    link.setAttribute("aria-expanded", "true");
    try {
      const answer = await fetch(address, { headers: { "HX-Request": "true", "HX-Target": `td#${block}` } });
      if (!answer.ok) throw new Error(String(answer.status));
      cell.innerHTML = await answer.text();
      fold.removeAttribute("aria-busy");
      cell.className = "";
      htmx.process(cell);
    } catch (error) {
      shut(row, true);
      trouble(error.message.startsWith("5") ? "server" : "network", () => unfold(link));
    }
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest(".offers > tbody > tr > th > a");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!link.closest("#offers")) return;
    event.preventDefault();
    unfold(link);
  });

  // ---- waiting, trouble -----------------------------------------------------------------------------------------
  let again = null;
  const answer = (event) => event.detail.ctx.target?.closest?.(".answer");

  function trouble(kind, retry) {
    const box = document.getElementById("trouble");
    if (!box) return;
    again = retry;
    box.dataset.kind = kind;
    box.hidden = false;
  }

  function calm() {
    const box = document.getElementById("trouble");
    if (box) box.hidden = true;
  }

  // A click is seen to be taken before its answer is laid out, however soon that comes; a hidden page paints nothing.
  const seen = () => new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 250);
  });
  document.addEventListener("htmx:before:request", (event) => {
    const box = answer(event);
    if (!box) return;
    box.setAttribute("aria-busy", "true");
    event.detail.ctx.fetch = async (...asked) => (await Promise.all([fetch(...asked), seen()]))[0];
  });
  document.addEventListener("htmx:finally:request", (event) => {
    answer(event)?.removeAttribute("aria-busy");
  });
  document.addEventListener("htmx:after:swap", (event) => {
    if (event.detail.ctx?.response?.status < 500) calm();
  });
  const retry = (context) => () => {
    const source = context.sourceElement;
    if (source.tagName === "FORM") source.requestSubmit();
    else if (source.isConnected) source.click();
    else location.assign(source.href);
  };
  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx) trouble("network", retry(event.detail.ctx));
  });
  document.addEventListener("htmx:response:error", (event) => {
    if (event.detail.ctx.response.status >= 500) trouble("server", retry(event.detail.ctx));
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-retry]")) return;
    calm();
    again?.();
  });

  // ---- copying, dialogs -----------------------------------------------------------------------------------------
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-copy]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const answer = await fetch(link.href);
      if (!answer.ok) throw new Error(String(answer.status));
      await navigator.clipboard.writeText(await answer.text());
      const said = Object.assign(document.createElement("span"), { textContent: link.dataset.copy });
      said.setAttribute("role", "status");
      link.after(said);
      setTimeout(() => said.remove(), 2500);
    } catch {
      location.assign(link.href); // no clipboard here: the text itself
    }
  });

  document.addEventListener("htmx:after:swap", (event) => {
    const { target, response } = event.detail.ctx ?? {};
    if (target?.id === "chooser" && response?.status === 200) target.showPopover();
  });
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });

  // ---- keyboard -------------------------------------------------------------------------------------------------
  function rows() {
    return [...document.querySelectorAll("#offers > table > tbody > tr:not(.fold)")];
  }

  function goTo(row) {
    const link = row?.querySelector("th a");
    if (!link) return false;
    link.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    return true;
  }

  function move(event) {
    const all = rows();
    const here = all.indexOf(event.target.closest("#offers tbody > tr:not(.fold)"));
    const place = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (here < 0 && event.key !== "ArrowDown") return false;
    return place >= 0 && goTo(all[place]);
  }

  function search() {
    const field = document.querySelector("[data-search]");
    for (let part = field?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    field?.focus();
    return Boolean(field);
  }

  function escape(event) {
    const menu = event.target.closest("details.menu[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
      return true;
    }
    if (event.target.matches(TYPING)) {
      event.target.blur();
      return false;
    }
    const row = event.target.closest("#offers tr");
    return row ? shut(row.classList.contains("fold") ? row.previousElementSibling : row, true) : false;
  }

  function act(event) {
    if (event.key === "Escape") return escape(event);
    if (event.target.closest(TYPING) || event.target.closest("[popover]")) return false;
    switch (event.key) {
      case "/": return search();
      case "?": document.getElementById("help")?.togglePopover(); return true;
      case "n": document.getElementById("next")?.click(); return true;
      case "p": document.getElementById("previous")?.click(); return true;
      case "ArrowDown": case "ArrowUp": case "Home": case "End": return move(event);
      default: return false;
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (act(event)) event.preventDefault();
  });
})();
