// At each case of the page a button, which opens its player. What that needs is loaded then.

import { button } from './dom.js';

export function playerButtons(): void {
  for (const place of document.querySelectorAll('step-player')) {
    const program = JSON.parse(place.querySelector('script')!.textContent!);
    place.prepend(button('Play this case', () => void open(place, program)));
  }
}

async function open(place: Element, program: any): Promise<void> {
  const { Player } = await import('./player/player.js');
  const code = place.previousElementSibling?.querySelector('code') ?? undefined;
  await new Player(program, code).open(place);
}
