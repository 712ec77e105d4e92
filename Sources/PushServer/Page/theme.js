// Light, dark, or as the system has it. The choice is kept in the browser.

const key = "push-inbox-theme";
const order = ["system", "light", "dark"];

const stored = () => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

export function themeButton(button) {
  let theme = order.includes(stored()) ? stored() : "system";
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    button.setAttribute("aria-label", `Colours: ${theme}`);
    button.title = `Colours: ${theme}`;
  };
  apply();
  button.addEventListener("click", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    try {
      localStorage.setItem(key, theme);
    } catch {
      // Then it holds until the page is left.
    }
    apply();
  });
}
