/* The script of a question's page: sends the chosen option with its comment, and closes the form when the question is closed. */
"use strict";

(() => {
  const form = document.querySelector("[data-decide]");
  if (!form) return;
  const buttons = () => form.querySelectorAll("button");

  function close(closed) {
    buttons().forEach((button) => { button.disabled = closed; });
  }

  function say(text) {
    form.querySelector("[data-said]").textContent = text;
  }

  async function send(option) {
    close(true);
    say("Sending…");
    try {
      const answer = await fetch(form.dataset.decide, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ option, comment: form.elements.comment.value }),
        credentials: "same-origin",
      });
      if (answer.ok) {
        location.reload();
        return;
      }
      const problem = await answer.json();
      say(`${problem.detail} ${problem.hint} (${problem.code})`);
    } catch {
      say("Waypost did not answer. Reload the page to see whether the answer was taken.");
    }
    close(document.getElementById("standing").dataset.state !== "open");
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter && event.submitter.name === "option") send(event.submitter.value);
  });

  /* The standing above the form is live; the form is not, so that nothing that somebody writes in it is lost. */
  document.addEventListener("htmx:after:swap", () => {
    if (document.getElementById("standing").dataset.state !== "open") close(true);
  });
})();
