// At each case of the page a button, which opens its player. What that needs is loaded then.

import { button, h } from './dom.js';
import { notLoaded } from './load.js';

export function playerButtons(): void {
  for (const place of document.querySelectorAll('step-player')) {
    const program = JSON.parse(place.querySelector('script')!.textContent!);
    const said = h('p', { role: 'status' });
    const play = () =>
      open(place, program).catch((failure) => {
        said.textContent = notLoaded('The player', failure);
      });
    place.prepend(
      button('Play this case', () => void play()),
      said,
    );
  }
}

async function open(place: Element, program: any): Promise<void> {
  const { Player } = await import('./player/player.js');
  const code = place.previousElementSibling?.querySelector('code') ?? undefined;
  await new Player(program, code).open(place);
}
