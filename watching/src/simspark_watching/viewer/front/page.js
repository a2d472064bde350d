// Shows the board over the picture, the keys on `?`, and a panel that leaves a phone its picture.
(() => {
  "use strict";

  const make = (id) => {
    const element = document.body.appendChild(document.createElement("div"));
    element.id = id;
    return element;
  };

  // Viser shows its panel at the bottom of a small screen: open, narrow, and over the picture.
  const arrangePhone = (board, canvas, isFirst) => {
    const panel = innerWidth <= 576 && board.closest('[style*="position: fixed"]');
    document.documentElement.style.setProperty("--simspark-panel", `${panel ? panel.offsetHeight : 0}px`);
    if (!panel || panel.classList.contains("simspark-panel")) return;
    panel.classList.add("simspark-panel");
    canvas.closest('[style*="flex-grow"][style*="background"]')?.classList.add("simspark-picture");
    if (isFirst) panel.querySelector('[style*="cursor: pointer"]')?.click();
  };

  const start = () => {
    const shown = make("simspark-board");
    let before = null;
    const follow = () => {
      const board = document.querySelector(".simspark-board");
      const canvas = document.querySelector("canvas");
      if (!board || !canvas) return;
      arrangePhone(board, canvas, before === null);
      if (board.innerHTML !== before) {
        before = shown.innerHTML = board.innerHTML;
        document.title = board.dataset.title;
      }
    };
    setInterval(follow, 100);

    const keys = make("simspark-keys");
    keys.hidden = true;
    addEventListener("keydown", (event) => {
      if (event.target.closest?.("input, textarea, select")) return;
      if (event.key === "?") {
        keys.innerHTML = document.querySelector(".simspark-keys")?.outerHTML ?? "";
        keys.hidden = !keys.hidden;
      } else if (event.key === "Escape") {
        keys.hidden = true;
      }
    });
    keys.addEventListener("click", () => (keys.hidden = true));
  };

  if (document.body) start();
  else addEventListener("DOMContentLoaded", start);
})();
