// The button that chooses between light, dark and what the system says, which a browser remembers for every page of parity.
function startTheme() {
  const button = byId('theme');
  const words = {'': 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark'};
  const order = ['', 'light', 'dark'];
  const apply = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    button.textContent = words[theme];
  };
  let theme = '';
  try { theme = localStorage.getItem('parity-theme') || ''; } catch (error) { theme = ''; }
  apply(order.includes(theme) ? theme : '');
  button.addEventListener('click', () => {
    theme = order[(order.indexOf(document.documentElement.dataset.theme || '') + 1) % order.length];
    apply(theme);
    try { localStorage.setItem('parity-theme', theme); } catch (error) { /* A page from a file may have no storage. */ }
  });
}
