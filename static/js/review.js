// Keyboard shortcuts, page swaps, claims and saved input of the review pages. All pages work without
// this script.

const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
const say = (words) => { $("#said").textContent = words; };

// --- Swaps: replace the page's <main> and bar, and update the URL ------ -----------------------
let busy = false;
const secret = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];

// `decided` is the key of the saved input that the request submits. It is deleted on success.
async function swap(url, options = {}, decided = "") {
  if (busy) return;
  busy = true;
  document.documentElement.classList.add("busy");
  // After a login in another tab, the page still contains the old CSRF token.
  if (options.body && secret()) options.body.set("csrfmiddlewaretoken", secret());
  try {
    const answer = await fetch(url, {
      credentials: "same-origin", headers: { "X-Swap": "1" }, ...options,
    });
    const type = answer.headers.get("content-type") || "";
    if (!type.startsWith("text/html")) throw new Error("The server did not send a page.");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (page.querySelector("form.login")) {
      warn("Your session has ended. Your input is kept: log in in another tab, then try again.", "/login/");
      return;
    }
    if (!page.querySelector("#main") || answer.status >= 500) {
      warn("Server error. Your input is kept: try again.");
      return;
    }
    if (answer.ok && decided) sessionStorage.removeItem(decided);
    show(page, answer);
  } catch {
    warn("The connection failed. Your input is kept: try again.");
  } finally {
    busy = false;
    document.documentElement.classList.remove("busy");
  }
}

function show(page, answer) {
  document.title = page.title;
  for (const part of [".bar", "#main", "#undo"]) {
    const old = $(part), fresh = page.querySelector(part);
    if (old && fresh) old.replaceWith(document.adoptNode(fresh));
  }
  // A refused form keeps its URL, so that the back button does not repeat it.
  const fresh = new URL(answer.headers.get("X-Address") || answer.url, location.href).href;
  if (answer.ok && fresh !== location.href) history.pushState({}, "", fresh);
  address = withoutLine();
  const problem = $(".message.error");
  const heading = $("#main h1");
  (problem ? $("#main") : heading || $("#main")).focus({ preventScroll: true });
  scrollTo(0, 0);
  say([...$$(".message"), heading].filter(Boolean).map((one) => one.textContent.trim()).join(". "));
  begin();
}

function warn(words, url) {
  const message = document.createElement("p");
  message.className = "message error";
  message.textContent = words;
  if (url) {
    const link = document.createElement("a");
    link.href = url;
    link.target = "_blank";
    link.textContent = " Log in";
    message.append(link);
  }
  $(".messages").replaceChildren(message);
  scrollTo(0, 0);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const button = event.submitter;
  leaving = true;
  if (form.matches("[data-at-once]")) {
    event.preventDefault();
    swap(listOf(form));
    return;
  }
  if (!form.matches("[data-swap]") || button?.matches("[data-noswap]")) return;
  event.preventDefault();
  const other = button?.getAttribute("formaction");
  const action = other || form.getAttribute("action") || location.href;
  const decided = form.matches(".decide") && !other ? draftName() : "";
  swap(action, { method: "POST", body: new FormData(form, button) }, decided);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  swap(link.href);
});

// Pages of others open beside the review.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (link && /^http/.test(link.protocol) && link.host !== location.host) link.target = "_blank";
}, true);

// A link to a line of this page only scrolls.
const withoutLine = () => location.href.split("#")[0];
let address = withoutLine();
addEventListener("popstate", () => { if (withoutLine() !== address) location.reload(); });

// --- Long signatures are folded: the body is what a reviewer reads ------------------------------
const FOLDED_FROM = 9;

function foldSignatures() {
  for (const table of $$(".source table.code")) {
    let begun = null, inside = [];
    for (const row of $$("tr[id]", table)) {
      const line = $("code", row)?.textContent ?? "";
      if (begun && /^\s*\).*:\s*(#.*)?$/.test(line)) {
        if (inside.length >= FOLDED_FROM && !inside.includes($(":target"))) fold(inside);
        begun = null;
      } else if (begun) inside.push(row);
      else if (/^def \w+\($/.test(line)) { begun = row; inside = []; }
    }
  }
}

function fold(rows) {
  const row = document.createElement("tr");
  row.className = "folded-lines";
  row.innerHTML = '<td class="no"></td><td><button type="button" class="link"></button></td>';
  const button = $("button", row);
  button.textContent = `… ${rows.length} lines of parameters`;
  button.addEventListener("click", () => { for (const one of rows) one.hidden = false; row.remove(); });
  for (const one of rows) one.hidden = true;
  rows[0].before(row);
}

addEventListener("hashchange", () => $(":target[hidden]") && $$(".folded-lines button").forEach((one) => one.click()));

// --- Lines of a reference and a kernel that share an operation: a guess, marked by the pointer ----
const OPERATIONS = [
  ["product", /\btl\.dot|\S @ \S|\b(matmul|mm|bmm|addmm|baddbmm|einsum|linear)\(/],
  ["sum", /\b(sum|mean|cumsum)\(/], ["maximum", /\b(a?max|maximum|argmax)\(/],
  ["minimum", /\b(a?min|minimum|argmin)\(/], ["exponential", /\b(exp2?|softmax|sigmoid|silu)\(/],
  ["logarithm", /\b(log2?|log1p|log_softmax|cross_entropy)\(/], ["root", /\b(r?sqrt|sqrt_rn|norm|rms_norm|layer_norm)\(/],
  ["choice", /\b(where|masked_fill|clamp|relu)\(/], ["answer", /\btl\.store\(|^\s*return\b/],
  ["random", /\b(rand\w*|dropout|bernoulli)\(/], ["scan", /\b(associative_scan|cumsum|cumprod)\(/],
];
const LOADED = /\btl\.(?:load|make_block_ptr|make_tensor_descriptor|atomic_\w+)\(\s*(\w+)/;
let linkedLines = [];

const sharedBy = (line) => {
  const found = OPERATIONS.filter(([, pattern]) => pattern.test(line)).map(([name]) => name);
  const loaded = LOADED.exec(line)?.[1].replace(/_?(ptrs?|pointer|desc)$/i, "");
  return loaded ? [...found, `read ${loaded}`] : found;
};

document.addEventListener("pointerover", (event) => {
  const row = event.target.closest?.(".panes tr[id]");
  if (row && row === linkedLines[0]) return;
  for (const line of linkedLines) line.classList.remove("linked");
  linkedLines = [];
  const here = row?.closest("section");
  if (!here || !/^(python|triton)_code/.test(row.id)) return;
  const other = $$(".panes section").find((one) => one !== here && $("tr[id^=python_code], tr[id^=triton_code]", one));
  const line = $("code", row)?.textContent ?? "";
  const wanted = sharedBy(line);
  if (!other) return;
  const alike = $$("tr[id]", other).filter((one) => {
    const text = $("code", one)?.textContent ?? "";
    return sharedBy(text).some((name) => wanted.includes(name))
      || wanted.some((name) => name.startsWith("read ") && new RegExp(`\\b${name.slice(5)}\\b`).test(text));
  });
  if (!alike.length) return;
  linkedLines = [row, ...alike];
  for (const one of linkedLines) one.classList.add("linked");
});

// --- Comments: a click on the mark beside a line opens a form below it ---------------------------
document.addEventListener("pointerover", (event) => {
  const row = event.target.closest("table.code[data-file] tr[id]");
  if (!row || !$("#line-comment") || $(".talk-here", row)) return;
  $(".talk-here")?.remove();
  const mark = document.createElement("button");
  mark.type = "button";
  mark.className = "talk-here";
  mark.textContent = "+";
  mark.setAttribute("aria-label", `Comment on line ${$("th a", row).textContent}`);
  $("th", row).append(mark);
});

document.addEventListener("click", (event) => {
  const mark = event.target.closest(".talk-here");
  if (!mark) return;
  const row = mark.closest("tr"), text = row.closest("table");
  $("tr.writing")?.remove();
  const place = document.createElement("tr");
  place.className = "note writing";
  place.innerHTML = '<td class="no"></td><td></td>';
  place.lastChild.append($("#line-comment").content.cloneNode(true));
  row.after(place);
  const form = $("form", place);
  form.elements.file.value = text.dataset.file;
  form.elements.line.value = Number($("th a", row).textContent) - Number(text.dataset.first) + 1;
  if (secret()) form.elements.csrfmiddlewaretoken.value = secret();
  form.elements.text.focus();
});

// --- Filters apply at once: a ticked value lists its items, and the fold-outs stay as they are ------
const listOf = (form) => `${form.action}?${new URLSearchParams([...new FormData(form)].filter(([, value]) => value))}`;

document.addEventListener("change", async (event) => {
  const field = event.target, form = field.closest("form[data-at-once]");
  if (!form || !field.matches("[type=checkbox], [list]")) return;
  const folds = $$("details", form).map((one) => [one.id, one.open]);
  await swap(listOf(form));
  const fresh = $("form[data-at-once]");
  if (!fresh || fresh === form) return;
  for (const [id, open] of folds) if ($(`#${id}`)) $(`#${id}`).open = open;
  $(`[name="${CSS.escape(field.name)}"][value="${CSS.escape(field.value)}"]`, fresh)?.focus({ preventScroll: true });
});

// The values of a fold are counted when it opens.
document.addEventListener("toggle", async (event) => {
  const fold = event.target, form = fold.closest("form[data-at-once]");
  if (!form || !fold.open || !fold.dataset.count) return;
  const address = new URL(listOf(form));
  address.searchParams.set("open", fold.dataset.count);
  try {
    const answer = await fetch(address, { credentials: "same-origin" });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(fold.id);
    if (!answer.ok || !fresh || !fold.isConnected) return;
    const focused = fold.contains(document.activeElement);
    fold.replaceWith(document.adoptNode(fresh));
    if (focused) $("summary", fresh).focus();
  } catch { /* the values stay without counts */ }
}, true);

// --- Preview of an export: counted again a moment after the last change --------------------------
let counting = 0;

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-preview]");
  if (!form) return;
  clearTimeout(counting);
  counting = setTimeout(async () => {
    const body = new FormData(form);
    if (secret()) body.set("csrfmiddlewaretoken", secret());
    try {
      const answer = await fetch(form.dataset.preview, {
        method: "POST", body, credentials: "same-origin", headers: { "X-Swap": "1" },
      });
      const part = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("preview");
      if (answer.ok && part) $("#preview")?.replaceWith(document.adoptNode(part));
    } catch { /* the next change tries again */ }
  }, 600);
});

// --- Rows are ticked: how many, and all of a page -----------------------------------------------
document.addEventListener("change", (event) => {
  const form = event.target.closest("form.picked");
  if (!form) return;
  const boxes = $$("[name=id]", form);
  if (event.target.matches("[data-act=all]")) {
    for (const box of boxes) box.checked = event.target.checked;
  }
  const count = boxes.filter((box) => box.checked).length;
  $("[data-picked]", form).textContent = count ? `${count} selected` : "None selected";
  $("[data-act=all]", form).checked = count === boxes.length;
});

// --- Uses of a name: marked in all files of the page while the pointer is on it or it is selected --
const NAMES = ".code :is(.n, .nv, .nf)";
let uses = [], selected = "";

function markUses(word, place) {
  for (const use of uses) use.classList.remove("use");
  uses = [];
  if (!word || !place) return;
  const found = $$(NAMES, place).filter((name) => name.textContent === word);
  if (found.length < 2) return;
  uses = found;
  for (const use of uses) use.classList.add("use");
}

const filesOf = (name) => name.closest(".panes") || name.closest(".source");

document.addEventListener("pointerover", (event) => {
  const name = event.target.closest(NAMES);
  if (selected || name?.classList.contains("use")) return;
  markUses(name?.textContent, name && filesOf(name));
});

document.addEventListener("selectionchange", () => {
  const word = String(getSelection()).trim();
  const name = getSelection().anchorNode?.parentElement?.closest(NAMES);
  if (!selected && !name) return;
  selected = name && /^\w+$/.test(word) ? word : "";
  markUses(selected, name && filesOf(name));
});

// --- Claims: an item from the queue has one; else the first key or a click in the form takes it.
// It is renewed while the page is open.
let leaving = false;

function claimForm(fields) {
  const body = new FormData();
  body.set("csrfmiddlewaretoken", secret());
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return body;
}

async function claim(fields) {
  try {
    const answer = await fetch("/claim", { method: "POST", body: claimForm(fields), credentials: "same-origin" });
    return answer.ok ? await answer.json() : null;
  } catch { return null; /* the next minute or key tries again */ }
}

// A decision needs no claim: its request is on its way.
async function hold() {
  const page = $("[data-claim='']");
  if (!page || busy) return;
  page.removeAttribute("data-claim");
  const [kind, pk] = page.dataset.item.split("/");
  const got = await claim({ kind, pk });
  if (got?.token && !page.isConnected) claim({ token: got.token, leave: "1" });
  else if (got?.token || !got) page.dataset.claim = got?.token ?? "";
  else warn(`${got.by} is reviewing this now. You can read, but not decide.`);
}

document.addEventListener("click", (event) => {
  if (event.target.closest(".decide") && !event.target.closest("button")) hold();
});

setInterval(async () => {
  const page = $("[data-claim]"), token = page?.dataset.claim;
  if (!token || document.hidden) return;
  const got = await claim({ token });
  if (!got || got.held) return;
  warn("Another reviewer has taken this item while you were away. Your input is kept.");
  page.removeAttribute("data-claim");
}, 60_000);

addEventListener("pagehide", () => {
  const token = leaving ? "" : $("[data-claim]")?.dataset.claim;
  if (token) navigator.sendBeacon("/claim", claimForm({ token, leave: "1" }));
});
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// --- Live parts: the progress of a run is reloaded until it ends -------- ---------------------
setInterval(async () => {
  if (busy || document.hidden || !$("[data-live]")) return;
  const address = location.href;
  try {
    const answer = await fetch(address, { credentials: "same-origin" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (busy || location.href !== address) return;
    for (const old of $$("[data-live]")) {
      const fresh = page.getElementById(old.id);
      if (!fresh || fresh.outerHTML === old.outerHTML) continue;
      // A focused button and a ticked box are kept until the run has ended.
      if ("live" in fresh.dataset && old.contains(document.activeElement)) continue;
      const box = $(".log", old), atEnd = !box || box.scrollTop + box.clientHeight > box.scrollHeight - 8;
      const top = box?.scrollTop;
      old.replaceWith(document.adoptNode(fresh));
      const now = $(".log", fresh);
      if (now) now.scrollTop = atEnd ? now.scrollHeight : top;
    }
  } catch { /* the next turn tries again */ }
}, 2000);

// --- Saved input: changed fields by item, kept until the item is decided -------- ---------------
const draftName = () => {
  const item = $("[data-item]")?.dataset.item;
  return item ? `draft ${item}` : "";
};

// Entries of an older script are the comment as plain text.
function readDraft(name) {
  try {
    const draft = JSON.parse(sessionStorage.getItem(name));
    return draft && typeof draft === "object" ? draft : {};
  } catch { return {}; }
}

document.addEventListener("input", (event) => {
  const name = draftName(), field = event.target;
  if (!name || !field.name || !field.matches(".decide *")) return;
  const draft = readDraft(name);
  draft[field.name] = field.name === "reason"
    ? $$(".decide [name=reason]:checked").map((box) => box.value)
    : field.value;
  sessionStorage.setItem(name, JSON.stringify(draft));
});

function restoreDraft() {
  const draft = readDraft(draftName());
  for (const [name, value] of Object.entries(draft)) {
    const fields = $$(`.decide [name="${CSS.escape(name)}"]`);
    if (name === "reason") fields.forEach((box) => { box.checked = value.includes(box.value); });
    else if (fields[0]) fields[0].value = value;
  }
  const reasons = $("details.reasons");
  if (reasons && $(":checked", reasons)) reasons.open = true;
}

// --- Keys --------------------------------------------------------------------------------------
// A sentence typed beside its field decides nothing: keys of a decision count only some time after
// the last key, and after the page appeared.
const PAUSE = 700, DECIDES = /^[arsu1-9]$/;
let prefix = "", calmAt = 0, calming = 0;

function pause(time = PAUSE) {
  calmAt = performance.now() + time;
  document.documentElement.classList.add("pausing");
  clearTimeout(calming);
  calming = setTimeout(() => document.documentElement.classList.remove("pausing"), time);
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && typing) { event.target.blur(); pause(0); return; }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea")) {
    if (!event.target.closest(".decide")) event.target.form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (!typing && localStorage.getItem("keys") !== "off") press(event);
  hold();
});

function press(event) {
  if (event.key === "Enter" || event.key === " " || ($("dialog[open]") && event.key !== "?")) return;
  const key = event.key.toLowerCase();
  const wanted = prefix ? `${prefix} ${key}` : key;
  prefix = !prefix && key === "g" ? "g" : "";
  const early = performance.now() < calmAt;
  pause();
  if (early && DECIDES.test(wanted)) say("Ignored, because it came right after another key.");
  else if (act(wanted)) event.preventDefault();
}

function act(key) {
  if (/^[1-9]$/.test(key)) return decideBy(Number(key));
  if (key === "u") return submit($("#undo"));
  if (key === "[" || key === "]") return toFunction(key === "]" ? 1 : -1);
  if (key === "{" || key === "}") return turn(key === "}" ? 1 : -1);
  if (key === "." || key === ",") return jump(key === "." ? 1 : -1);
  if (key === "e") return unfold();
  if (key === "j" || key === "k") return step(key === "j" ? 1 : -1);
  const target = $(`[data-key="${CSS.escape(key)}"]`);
  if (!target || target.disabled) return false;
  if (target.matches("textarea, input")) target.focus();
  else target.click();
  return true;
}

function submit(form) {
  form?.requestSubmit();
  return Boolean(form);
}

function decideBy(number) {
  const reason = $$(".reasons input")[number - 1];
  if (!reason) return false;
  for (const other of $$(`.reasons :checked:not([data-status="${reason.dataset.status}"])`)) other.click();
  if (!reason.checked) reason.click();
  const button = $(`.decide button[value="${reason.dataset.status}"]`);
  if (!button || button.disabled) return false;
  button.click();
  return true;
}

function turn(by) {
  const tabs = $$(".source .tabs > a");
  const next = tabs[tabs.findIndex((one) => one.hasAttribute("aria-current")) + by];
  next?.click();
  return Boolean(next);
}

// Open claims: the next one gets the focus, and its line in the code scrolls into view.
function jump(by) {
  const open = $$(".claims [data-open]");
  const at = open.indexOf(document.activeElement.closest(".claims li"));
  const next = open.at(at < 0 ? (by > 0 ? 0 : -1) : (at + by) % open.length);
  next?.focus();
  const line = next && $("a[href^='#']", next);
  const row = line && document.getElementById(line.hash.slice(1));
  const fold = row?.closest("details");
  if (fold) fold.open = true;
  row?.scrollIntoView({ block: "center" });
  return Boolean(next);
}

function unfold() {
  const claim = document.activeElement.closest(".claims > ol > li") || $(".claims [data-open]");
  const details = claim && $("details", claim);
  if (details) details.open = !details.open;
  return Boolean(details);
}

function toFunction(by) {
  const links = $$(".outline a");
  const opened = links.findIndex((one) => one.hasAttribute("aria-current"));
  const reached = links.findIndex((one) => one.hash === location.hash);
  const at = reached < 0 ? Math.max(0, opened) : reached;
  const next = links[(at + by + links.length) % links.length];
  if (next) location.replace(next.href);
  return Boolean(next);
}

function step(by) {
  const links = $$(".list tbody th a");
  const at = links.indexOf(document.activeElement);
  const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by];
  next?.focus();
  return Boolean(next);
}

// --- The tools above the source, and the menu ---------------------------------------------------
document.addEventListener("click", async (event) => {
  const tool = event.target.closest("[data-act]")?.dataset.act;
  if (tool === "wrap") {
    localStorage.setItem("wrap", localStorage.getItem("wrap") === "off" ? "on" : "off");
    wrap();
  }
  if (tool === "copy") {
    const text = $$(".source .code code").map(original).join("\n");
    await navigator.clipboard?.writeText(`${text}\n`);
    const done = $(".source .cut") ? "Copied without cut parts" : "Copied";
    say(`${done}.`);
    const button = event.target.closest("[data-act]");
    button.textContent = done;
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }
  if (tool === "close") $("tr.writing")?.remove();
  const copies = event.target.closest("[data-copy]");
  if (copies) {
    const field = $(copies.dataset.copy);
    field.select();
    await navigator.clipboard?.writeText(field.value);
    copies.textContent = "Copied";
    say("Copied.");
  }
  const menu = $("details.who[open]");
  if (menu && !menu.contains(event.target)) menu.open = false;
});

// A box replaces an invisible character; the copied text contains the character.
const character = (box) => String.fromCodePoint(parseInt(box.textContent.slice(2), 16));

function original(line) {
  const copy = line.cloneNode(true);
  for (const cut of $$(".cut", copy)) cut.remove();
  for (const box of $$(".cp", copy)) box.replaceWith(character(box));
  return copy.textContent;
}

document.addEventListener("copy", (event) => {
  const selection = getSelection();
  const boxes = $$(".cp").filter((box) => selection.containsNode(box, true));
  if (!boxes.length) return;
  const range = selection.getRangeAt(0);
  const inBox = (node) => (node.closest ? node : node.parentElement).closest(".cp");
  if (inBox(range.startContainer)) range.setStartBefore(inBox(range.startContainer));
  if (inBox(range.endContainer)) range.setEndAfter(inBox(range.endContainer));
  const shown = boxes.map((box) => box.textContent);
  for (const box of boxes) box.textContent = character(box);
  event.clipboardData.setData("text/plain", String(selection));
  boxes.forEach((box, number) => { box.textContent = shown[number]; });
  event.preventDefault();
});

document.addEventListener("change", (event) => {
  if (event.target.id === "theme") {
    localStorage.setItem("theme", event.target.value);
    document.documentElement.dataset.theme = event.target.value;
  }
  if (event.target.id === "keys") localStorage.setItem("keys", event.target.checked ? "on" : "off");
});

function wrap() {
  const on = localStorage.getItem("wrap") !== "off";
  for (const line of on ? $$(".source .code td > code") : []) {
    line.style.setProperty("--indent", line.textContent.search(/\S|$/));
  }
  document.documentElement.classList.toggle("unwrapped", !on);
  $("[data-act=wrap]")?.setAttribute("aria-pressed", String(on));
}

// --- The keys, as an overlay of the page -----------------------------------------------------------
document.addEventListener("click", async (event) => {
  const link = event.target.closest('a[data-key="?"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const open = $("dialog.overlay");
  if (open) { open.remove(); return; }
  const overlay = document.createElement("dialog");
  overlay.className = "overlay";
  overlay.setAttribute("aria-label", "Keyboard shortcuts");
  try {
    const answer = await fetch(link.href, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    overlay.append(...$("#keys-list", page).parentElement.children);
  } catch { location.href = link.href; return; }
  overlay.addEventListener("close", () => overlay.remove());
  overlay.addEventListener("click", (one) => { if (one.target === overlay) overlay.close(); });
  document.body.append(overlay);
  overlay.showModal();
});

// --- A splitter between the files of a pair: drag it, or press the arrow keys -------------------
function split(panes, share) {
  share = Math.min(0.8, Math.max(0.2, share));
  panes.style.setProperty("--left", `${(share * 1.1 / (1 - share)).toFixed(3)}fr`);
  const splitter = $(".splitter", panes);
  splitter.style.left = `${100 * share}%`;
  splitter.setAttribute("aria-valuenow", Math.round(100 * share));
  localStorage.setItem("split", share);
}

function beginSplitter() {
  const panes = $(".panes:not(.alone, .edit)");
  if (!panes) return;
  const splitter = document.createElement("div");
  splitter.className = "splitter";
  splitter.tabIndex = 0;
  const labels = {
    role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the left files",
    "aria-valuemin": 20, "aria-valuemax": 80,
  };
  for (const [name, value] of Object.entries(labels)) splitter.setAttribute(name, value);
  panes.append(splitter);
  split(panes, Number(localStorage.getItem("split")) || 0.45);
  const shareAt = (x) => (x - panes.getBoundingClientRect().left) / panes.clientWidth;
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    splitter.classList.add("held");
  });
  splitter.addEventListener("pointermove", (event) => {
    if (splitter.classList.contains("held")) split(panes, shareAt(event.clientX));
  });
  splitter.addEventListener("lostpointercapture", () => splitter.classList.remove("held"));
  splitter.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -0.05, ArrowRight: 0.05 }[event.key];
    if (by) split(panes, Number(localStorage.getItem("split")) + by);
  });
}

// --- Editor of a text: line numbers, and Tab indents. Escape leaves the field, so that Tab moves on --
function numberLines() {
  for (const text of $$("textarea.source-text")) {
    const frame = document.createElement("div"), gutter = document.createElement("pre");
    frame.className = "numbered";
    gutter.setAttribute("aria-hidden", "true");
    text.replaceWith(frame);
    frame.append(gutter, text);
    const count = () => {
      gutter.textContent = text.value.split("\n").map((_, line) => line + 1).join("\n");
    };
    count();
    text.addEventListener("input", count);
    text.addEventListener("scroll", () => { gutter.scrollTop = text.scrollTop; });
  }
}

document.addEventListener("keydown", (event) => {
  const text = event.target;
  if (event.key !== "Tab" || event.shiftKey || !text.matches("textarea.source-text:not([readonly])")) return;
  event.preventDefault();
  const { value, selectionStart: from, selectionEnd: to } = text;
  const lines = value.slice(from, to).includes("\n");
  if (lines) text.setSelectionRange(value.lastIndexOf("\n", from - 1) + 1, to);
  const chosen = value.slice(text.selectionStart, to);
  // The only way to insert that the browser can undo.
  document.execCommand("insertText", false, lines ? chosen.replace(/^(?=.)/gm, "    ") : "    ");
});

function begin() {
  leaving = false;
  numberLines();
  pause();
  wrap();
  beginSplitter();
  const theme = $("#theme"), keys = $("#keys");
  if (theme) theme.value = localStorage.getItem("theme") || "";
  if (keys) keys.checked = localStorage.getItem("keys") !== "off";
  restoreDraft();
  foldSignatures();
  // On a phone the list comes before the values of its filters.
  if (innerWidth < 700) for (const part of $$("form[data-at-once] details")) part.open = Boolean($(":checked", part));
  for (const box of $$(".log")) box.scrollTop = box.scrollHeight;
  const changed = $(".diff tr:not(.same), #unit");
  if (changed && !location.hash) {
    const scroll = changed.closest(".scroll");
    scroll.scrollTop += changed.getBoundingClientRect().top - scroll.getBoundingClientRect().top - 120;
  }
}

begin();
