/** The styles for large text on a phone, and for browsers with colours of their own. `style` includes them. */
export const readerStyle = `/* Large text on a phone: there is no room for a label beside its value. */
@media (max-width: 20rem) {
  .counts li { grid-template-columns: minmax(0, 1fr); }
  .stack td[data-label] { padding-left: 0; margin-bottom: 0.3rem; }
  .stack td[data-label]::before { float: none; display: block; width: auto; margin-left: 0; }
}
/* A browser with colours of its own shows each border, also a transparent one, and no background. */
@media (forced-colors: active) {
  .top nav a:not([aria-current]), .tabs a:not([aria-current]) { border-color: Canvas; }
  select { appearance: auto; }
  .badge { border: 1px solid; }
}
`
