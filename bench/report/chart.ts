/** The figures as horizontal bars on a log scale, one group for each scenario, C++ left and JavaScript right. */
import { colours, type Theme } from './palette.js';
import { Panel, panelWidth } from './panel.js';
import { day, type Results } from './results.js';
import { text } from './svgtext.js';

const font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';

export function chart(results: Results, theme: Theme): string {
  const margin = 20;
  const languages = (['cpp', 'js'] as const).filter((lang) =>
    results.rows.some((row) => row.lang === lang),
  );
  const panels = languages.map(
    (lang, i) => new Panel(results, lang, margin + i * (panelWidth + margin), theme),
  );
  const width = margin + panels.length * (panelWidth + margin);
  const height = Math.max(...panels.map((panel) => panel.height)) + 26;
  const { ground, text: ink } = colours[theme];
  const foot = `${results.machine.cpu}, ${day(results)}, medians of ${results.repetitions} runs; * floors, which do less than a flow`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${font}>`,
    `<title>steptree and its peers</title>`,
    `<rect width="100%" height="100%" fill="${ground}"/>`,
    ...panels.map((panel) => panel.draw()),
    text(margin, height - 8, foot, `font-size="10" fill="${ink}"`),
    '</svg>\n',
  ].join('\n');
}
