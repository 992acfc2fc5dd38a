/* The page's own script: times in the viewer's zone, the state of the live stream, copying, signing in and out.
   Pages are complete without it. It reads foreign text only as text. */
"use strict";

(() => {
  const MINUTE = 60, HOUR = 3600, DAY = 86400;
  const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
  const clock = new Intl.DateTimeFormat(undefined, {
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
  });
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

  /* Times ------------------------------------------------------------------------------------------------------- */

  function away(at, now) {
    const distance = Math.floor(Math.abs(now - at) / 1000);
    const past = at <= now;
    if (distance < MINUTE) return past ? "just now" : "in a moment";
    if (distance >= 60 * DAY) return day.format(at);
    return past ? `${long(distance)} ago` : `in ${long(distance)}`;
  }

  function long(seconds) {
    if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
    return seconds < 2 * DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} days`;
  }

  function late(at, now) {
    const seconds = Math.floor((now - at) / 1000);
    return seconds < MINUTE ? "due now" : `${long(seconds)} late`;
  }

  function countdown(at, now) {
    const left = Math.ceil((at - now) / 1000);
    if (left <= 0) return "lapsed";
    const minutes = Math.floor(left / MINUTE), seconds = String(left % MINUTE).padStart(2, "0");
    return left < HOUR ? `ends in ${minutes}:${seconds}` : `ends ${away(at, now)}`;
  }

  const shows = { away, countdown, late, clock: (at) => clock.format(at) };

  function write(time, now) {
    const at = new Date(time.dateTime);
    const text = shows[time.dataset.show](at, now);
    if (time.textContent !== text) time.textContent = text;
    if (!time.dataset.utc || time.title === time.dataset.utc || !time.title) {
      time.dataset.utc = utc(at);
      time.title = `${exact.format(at)}\n${utc(at)}`;
    }
  }

  function utc(at) {
    return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  }

  function writeTimes() {
    const now = new Date();
    document.querySelectorAll("time[data-show]").forEach((time) => write(time, now));
  }

  /* The stream -------------------------------------------------------------------------------------------------- */

  const RETRY_MILLISECONDS = 5000;
  const words = { live: "Live", waiting: "Reconnecting", off: "Not live" };

  function say(state) {
    const shown = document.getElementById("live-state");
    if (!shown || shown.dataset.state === state) return;
    shown.dataset.state = state;
    shown.textContent = words[state];
  }

  function watchStream(stream) {
    stream.addEventListener("htmx:sse:after:connection", () => say("live"));
    stream.addEventListener("htmx:sse:before:connection", (event) => {
      if (event.detail.connection.attempt > 0) say("waiting");
    });
    stream.addEventListener("htmx:sse:error", () => say("waiting"));
    /* Where the very first connection fails there is no stream yet that could come back by itself. */
    const again = () => {
      if (stream._htmx && stream._htmx.sse) return;
      say("waiting");
      setTimeout(() => stream.dispatchEvent(new Event("waypost-retry")), RETRY_MILLISECONDS);
    };
    stream.addEventListener("htmx:error", again);
    stream.addEventListener("htmx:response:error", again);
  }

  /* What has just arrived is marked for a moment. */
  let known = new Set();
  const items = () => document.querySelectorAll("#page li[id]");

  function markArrivals() {
    items().forEach((item) => item.classList.toggle("arrived", !known.has(item.id)));
    known = new Set(Array.from(items(), (item) => item.id));
  }

  function settle() {
    markArrivals();
    ready();
  }

  /* Copying, signing in and out --------------------------------------------------------------------------------- */

  function ready() {
    writeTimes();
    if (navigator.clipboard) document.querySelectorAll("[data-copy]").forEach((button) => { button.hidden = false; });
  }

  async function copy(button) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  }

  function ask(method, body) {
    return fetch("/web/session", {
      method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), credentials: "same-origin",
    });
  }

  /* Waypost's own sentences mark commands with backticks. */
  function tell(place, text, code) {
    const parts = text.split("`").map((part, at) => {
      if (at % 2 === 0) return document.createTextNode(part);
      const command = document.createElement("code");
      command.textContent = part;
      return command;
    });
    const named = document.createElement("code");
    named.textContent = code;
    place.replaceChildren(...parts, " ", named);
  }

  async function signIn(section, token) {
    const said = section.querySelector("[data-said]"), button = section.querySelector("[data-do]");
    const code = new URLSearchParams(location.search).get("code"), own = section.querySelector("[data-token]");
    if (!code && !token) {
      said.textContent = "This address carries no code. Run waypost open to get a link, or paste your own token.";
      own.hidden = false;
      return;
    }
    said.textContent = "Signing in…";
    try {
      const answer = await ask("POST", token ? { token } : { code });
      if (answer.ok) {
        location.replace("/web/");
        return;
      }
      const problem = await answer.json();
      tell(said, `${problem.detail} ${problem.hint}`, problem.code);
    } catch {
      said.textContent = "Waypost did not answer. Nobody was signed in.";
      button.hidden = Boolean(token);
    }
  }

  document.addEventListener("click", (event) => {
    const copying = event.target.closest("[data-copy]");
    if (copying) copy(copying);
    if (event.target.closest("[data-sign-out]")) ask("DELETE", {}).then(() => location.reload());
    const signing = event.target.closest("[data-do]");
    if (signing) signIn(signing.closest("[data-sign-in]"));
  });

  function signInByToken(place) {
    const input = place.querySelector("input"), token = input.value.trim();
    input.value = "";
    if (token) signIn(place.closest("[data-sign-in]"), token);
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-by-token]")) signInByToken(event.target.closest("[data-token]"));
  });
  document.addEventListener("keydown", (event) => {
    const place = event.target.closest("[data-token]");
    if (place && event.key === "Enter") signInByToken(place);
  });

  /* Start ------------------------------------------------------------------------------------------------------- */

  const stream = document.getElementById("stream");
  if (stream) watchStream(stream);
  const section = document.querySelector("[data-sign-in]");
  if (section) signIn(section);
  known = new Set(Array.from(items(), (item) => item.id));
  ready();
  setInterval(writeTimes, 1000);
  document.addEventListener("htmx:after:swap", settle);
})();
