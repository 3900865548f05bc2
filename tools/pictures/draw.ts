/** Draws a picture: its panels beside and below each other, the legend at the foot. */
import { colours, type Theme } from '../../bench/report/palette.js';
import { text } from '../../bench/report/svgtext.js';
import { drawPanel, heightOf } from './panel.js';
import type { Picture } from './picture.js';
import { drawBadge, drawBar, drawDot, isBar, isDot } from './shapes.js';

/** As wide as the column of text is where pages are mostly read. */
export const width = 830;
const margin = 12;
const gap = 22;
const foot = 34;
const font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';

export function draw(picture: Picture, theme: Theme): string {
  const { panels, columns, title } = picture;
  const panelWidth = (width - 2 * margin - (columns - 1) * gap) / columns;
  const drawn: string[] = [];
  let y = margin;
  for (let first = 0; first < panels.length; first += columns) {
    const line = panels.slice(first, first + columns);
    for (const [i, panel] of line.entries()) {
      const place = { x: margin + i * (panelWidth + gap), y, width: panelWidth };
      drawn.push(drawPanel(picture, panel, place, theme));
    }
    y += Math.max(...line.map(heightOf)) + gap / 2;
  }
  const height = y + foot;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${font}>`,
    `<title>${title}</title>`,
    `<rect width="100%" height="100%" fill="${colours[theme].ground}"/>`,
    ...drawn,
    drawLegend(picture, y + foot / 2, theme),
    '</svg>\n',
  ].join('\n');
}

/** More than letters of any of the fonts take. */
const perLetter = 6.9;

function drawLegend({ legend }: Picture, y: number, theme: Theme): string {
  const parts: string[] = [];
  let x = margin;
  for (const [kind, words] of legend) {
    const room = isBar(kind) ? 22 : 14;
    if (isBar(kind)) parts.push(drawBar(kind, { x, y: y - 6, width: room, height: 12 }, theme));
    else if (isDot(kind)) parts.push(drawDot(kind, x + 7, y, theme));
    else parts.push(drawBadge('n', x + 7, y, theme));
    parts.push(text(x + room + 6, y + 4, words, `font-size="12" fill="${colours[theme].text}"`));
    x += room + 6 + words.length * perLetter + 14;
  }
  return parts.join('\n');
}
