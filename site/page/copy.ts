// A button at each block of code.

export function copyButtons(): void {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => copy(block, button));
    block.append(button);
  }
}

async function copy(block: Element, button: HTMLButtonElement): Promise<void> {
  const text = block.querySelector('pre')?.textContent ?? '';
  const said = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not allowed',
  );
  button.textContent = said;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1500);
}
