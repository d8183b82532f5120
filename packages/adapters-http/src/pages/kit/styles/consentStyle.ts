/** The styles of the consent page. `style` includes them in the one stylesheet of all pages. */
export const consentStyle = `.asker { display: flex; gap: 0.9rem; align-items: center; }
.asker .logo { flex: none; margin: 0; }
.asker h1 { margin: 0; }
.asker + .lead { margin: 0.5rem 0 0.6rem; }
.who-asks { margin: 0 0 1rem; }
.who-asks p { margin: 0 0 0.2rem; }
.note.asking { display: flex; gap: 0.9rem; align-items: center; }
.note.asking .logo { flex: none; margin: 0; }
.consent .card { padding: 0.9rem 1rem; margin-bottom: 0.8rem; }
.consent fieldset { margin-bottom: 0.7rem; }
.consent .card > :last-child { margin-bottom: 0; }
.consent .choices { gap: 0.35rem; }
.consent .choice { padding: 0.45rem 0.7rem; }
.consent .choice label { line-height: 1.35; }
.consent .add { margin: 0.5rem 0 0; }
.logo.icon { display: inline-block; flex: none; width: 2rem; height: 2rem; border-radius: 8px; margin: 0; }
.named { display: flex; align-items: center; gap: 0.6rem; }
caption h3.named { display: inline-flex; }
.actions + .pairs { margin-top: 2rem; }
.example { margin: 0; }
.example figcaption { margin-bottom: 0.5rem; }
.example .preview { background: var(--card); margin: 0; }
.example .preview button { cursor: default; opacity: 0.6; }
.example .preview label, .example .preview label::after { cursor: default; }
.search {
  margin-bottom: 0.5rem; display: grid; grid-template-columns: 1fr auto auto; gap: 0.35rem 0.5rem; align-items: center;
}
.search label { grid-column: 1 / -1; font-weight: 600; font-size: 0.9rem; }
.search button { padding: 0.45rem 0.7rem; }
.search .hint { grid-column: 1 / -1; }
.search .hint:empty { display: none; }
.day-row { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.day-choice {
  flex: 1 1 0; position: relative; display: grid; justify-items: center; align-content: start; gap: 0.15rem;
  padding: 0.45rem 0.15rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card);
  text-align: center;
}
.day-choice input {
  position: relative; z-index: 1; margin: 0; width: 1.1rem; height: 1.1rem; accent-color: var(--accent);
}
.day-choice label { font-weight: 500; font-size: 0.9rem; line-height: 1.25; overflow-wrap: normal; }
.day-choice label::after { content: ""; position: absolute; inset: 0; cursor: pointer; }
.day-choice:has(:checked) { border-color: var(--accent); background: var(--accent-soft); }
.ends { margin: 0.35rem 0 0; color: var(--soft); font-size: 0.9rem; display: none; }
.days:has(.day-choice:nth-of-type(1) :checked) .ends:nth-of-type(1),
.days:has(.day-choice:nth-of-type(2) :checked) .ends:nth-of-type(2),
.days:has(.day-choice:nth-of-type(3) :checked) .ends:nth-of-type(3),
.days:has(.day-choice:nth-of-type(4) :checked) .ends:nth-of-type(4),
.days:has(.day-choice:nth-of-type(5) :checked) .ends:nth-of-type(5) { display: block; }
.bar .decide { margin-top: 1rem; }
.bar p { margin: 0; color: var(--soft); }
.with-bar .bar {
  position: fixed; left: 0; right: 0; bottom: 0; z-index: 1100; padding: 0.5rem 1.25rem 0.7rem;
  background: var(--card); border-top: 1px solid var(--line);
}
.with-bar .bar > * { max-width: 39.5rem; margin-inline: auto; }
.with-bar .bar .decide { margin-top: 0.4rem; }
.with-bar main { padding-bottom: calc(var(--bar) + 1rem); }
.with-bar { scroll-padding-bottom: calc(var(--bar) + 0.5rem); }
`
