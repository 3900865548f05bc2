// Light, dark, or as the system has it: kept in this browser.

const key = 'steptree-theme';
const themes = ['', 'light', 'dark'] as const;
const words = { '': 'as the system', light: 'light', dark: 'dark' };

type Theme = (typeof themes)[number];

export function themeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme')!;
  const kept = localStorage.getItem(key) as Theme | null;
  let theme = themes.find((each) => each === kept) ?? '';
  const show = () => {
    document.documentElement.dataset['theme'] = theme;
    button.textContent = `Theme: ${words[theme]}`;
    showPictures(theme);
  };
  button.hidden = false;
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    localStorage.setItem(key, theme);
    show();
  });
  show();
}

/** Those that are drawn for both follow the page, not the system. */
function showPictures(theme: Theme): void {
  const media = { '': '(prefers-color-scheme: dark)', light: 'not all', dark: 'all' }[theme];
  for (const source of document.querySelectorAll('picture source'))
    source.setAttribute('media', media);
}
