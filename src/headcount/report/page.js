// Draws the charts of the page and makes the copy buttons work. Everything it needs is in the page.
"use strict";

const charts = JSON.parse(document.getElementById("charts").textContent);
const options = { actions: false, renderer: "svg", mode: "vega-lite", tooltip: { theme: "page" } };

const drawn = Object.entries(charts).map(([key, chart]) =>
  vegaEmbed(document.getElementById(key), chart, options).catch((problem) => {
    document.getElementById(key).textContent = `This figure could not be drawn: ${problem.message}`;
  }),
);
Promise.all(drawn).then(() => { document.documentElement.dataset.charts = "drawn"; });

for (const button of document.querySelectorAll(".command button")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const code = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      // No clipboard here: mark the text, so that one key copies it.
      getSelection().selectAllChildren(code);
      button.textContent = "Marked: press Ctrl+C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2500);
  });
}
