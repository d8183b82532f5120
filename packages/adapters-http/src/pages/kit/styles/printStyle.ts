/**
 * The styles of printed pages, such as a receipt, the access log or a day. Nobody can follow a link or press a button
 * on paper, so the navigation and the buttons are left out. Browsers print with the light colours.
 */
export const printStyle = `
@media print {
  @page { margin: 1.6cm; }
  html { font-size: 80%; }
  body { background: none; }
  .top { border: 0; background: none; }
  .top nav, .who, .foot, .skip, .tabs, .toc, form.filter, button, .button { display: none; }
  .top > div, .top > div:has(.who) { max-width: none; padding: 0 0 1rem; }
  main, main.middle, main.narrow { max-width: none; padding: 0; }
  .card, .note, figure, tr, .grid > * { break-inside: avoid; }
  h1, h2, h3, thead { break-after: avoid; }
  .scroll { overflow: visible; }
}
`
