// Help, and the question before pushes are removed.
import { api } from "./api.js";
import { complain, say } from "./live.js";

/** Opens an element `dialog`; a click beside it closes it. */
export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

export function prepareDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }
}

/** Asks what to remove: the pushes of the filter, or everything. `filter` gives its parameters. */
export function prepareRemoval(button, dialog, filter) {
  button.addEventListener("click", () => {
    const isFiltered = Object.keys(filter()).length > 0;
    dialog.querySelector("#remove-pushes").textContent = isFiltered ? "Remove pushes of the filter" : "Remove all pushes";
    dialog.querySelector("#reset").hidden = isFiltered;
    openDialog(dialog);
  });
  const act = (call, sentence) => async () => {
    dialog.close();
    try {
      await call();
      say(sentence);
    } catch (error) {
      complain(error.message);
    }
  };
  const remove = act(() => api.removePushes(filter()), "The pushes were removed.");
  dialog.querySelector("#remove-pushes").addEventListener("click", remove);
  dialog.querySelector("#reset").addEventListener("click", act(() => api.reset(), "The inbox is empty."));
}
