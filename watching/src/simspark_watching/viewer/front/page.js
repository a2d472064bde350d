// Shows the board over the picture, the keys on `?`, and a panel that leaves a phone its picture.
(() => {
  "use strict";

  const make = (id) => {
    const element = document.body.appendChild(document.createElement("div"));
    element.id = id;
    return element;
  };

  const closePanelOfPhone = (board) => {
    // Viser shows its panel at the bottom of a small screen, open.
    const panel = board.closest('[style*="position: fixed"]');
    if (!panel || innerWidth > 576) return;
    panel.style.width = "100%";
    panel.style.maxHeight = "45%";
    panel.querySelector('[style*="cursor: pointer"]')?.click();
  };

  const start = () => {
    const shown = make("simspark-board");
    let before = null;
    const follow = () => {
      const board = document.querySelector(".simspark-board");
      if (!board) return;
      if (before === null) closePanelOfPhone(board);
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
