/**
 * The styles of pictures: charts of bars, the bar of a rule's evaluations, a day on the map, the timeline and its
 * calendar.
 */
export const pictureStyle = `.bars {
  flex: none; display: block; max-width: 100%; height: auto; fill: var(--accent); fill-opacity: 0.7;
}
.bars .bad { fill: var(--bad); fill-opacity: 1; }
.figures {
  list-style: none; padding: 0; display: grid; gap: 0.75rem 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 10rem), 1fr));
}
.figures > li { display: flex; flex-direction: column; }
.figures .bars { width: 100%; max-width: 15rem; height: auto; margin-top: auto; }
.figure { display: block; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.strips { display: grid; gap: 0.75rem; }
.strips > li {
  display: grid; grid-template-columns: minmax(0, 12rem) minmax(0, 24rem); gap: 0.25rem 1rem; align-items: end;
}
.strips .bars { width: 100%; height: auto; }
.bars .hit { fill: transparent; }
.bars a:hover rect:not(.hit), .bars a:focus-visible rect:not(.hit) { fill-opacity: 1; }
.sides { margin: 0 0 1.25rem; }
.sides svg { max-width: 100%; vertical-align: middle; }
.sides > svg { display: block; width: 100%; height: auto; margin-bottom: 0.5rem; }
.sides .inside { fill: var(--accent); }
.sides .outside { fill: var(--line); }
.sides .unknown { fill: none; stroke: var(--line); stroke-dasharray: 4; }
.sides .fired { fill: var(--accent); }
.sides .late { fill: var(--warn); }
.sides .edge { fill: none; stroke: var(--soft); stroke-width: 2.500; }
.sides .cooled { fill: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0; }
.bars .now { fill-opacity: 1; }
.bars .none { fill: var(--line); fill-opacity: 1; }
.dayline {
  display: grid; grid-template-columns: 3rem 1fr 3rem; align-items: center; gap: 0.75rem; margin-bottom: 1rem;
}
.dayline h2 { margin: 0; text-align: center; }
.dayline .button { padding-inline: 0; }
.day {
  margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: var(--card); overflow: hidden;
}
.day svg { display: block; width: 100%; height: auto; }
.day .place { fill: var(--accent); fill-opacity: 0.2; stroke: var(--accent); stroke-opacity: 0.6; }
.day .way { fill: none; stroke: var(--focus); stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; }
.day .stop { fill: var(--card); stroke: var(--warn); stroke-width: 3; }
.day .begin { fill: var(--card); stroke: var(--focus); stroke-width: 3; }
.day .end { fill: var(--focus); stroke: var(--card); stroke-width: 2; }
.day text { fill: var(--ink); stroke-width: 4; font-size: 15px; font-weight: 600; }
.day .town-name { font-size: 13px; }
.day text.scale { text-anchor: start; font-size: 13px; font-weight: 400; fill: var(--map-name); }
.day .water { fill: var(--map-water); }
.day .edge { fill: none; stroke: var(--line); stroke-width: 2; }
.day .here { fill: var(--focus); stroke: var(--card); stroke-width: 2; }
.day figcaption { padding: 0.4rem 0.8rem; font-size: 0.9rem; color: var(--soft); border-top: 1px solid var(--line); }
.day path.scale { fill: none; stroke: var(--map-name); stroke-width: 2; }
.mini {
  display: block; width: 100%; height: auto; margin: 0 0 0.9rem; border: 1px solid var(--line); border-radius: 8px;
}
.drawn { background: var(--map-water); }
.drawn .land { fill: var(--map-land); fill-rule: evenodd; }
.drawn .lake { fill: var(--map-water); fill-rule: evenodd; }
.drawn .river { fill: none; stroke: var(--map-water-line); }
.drawn .border { fill: none; stroke: var(--map-border); stroke-dasharray: 5 3; }
.drawn .town { fill: var(--map-name); }
.drawn text { stroke: var(--map-halo); paint-order: stroke; text-anchor: middle; }
.drawn .town-name { fill: var(--map-name); font-weight: 400; }
.mini .here { fill: var(--accent); stroke: var(--card); stroke-width: 2; }
.mini text { font-size: 10px; stroke-width: 3; }
.timeline { border-left: 3px solid var(--line); margin-left: 0.4rem; }
.timeline > li {
  display: grid; grid-template-columns: minmax(3.6rem, max-content) 1fr; gap: 0 0.75rem;
  padding: 0.45rem 0 0.45rem 1rem; position: relative;
}
.timeline > li::before {
  content: ""; position: absolute; left: calc(-0.45rem - 1.5px); top: 0.85rem; width: 0.9rem; height: 0.9rem;
  border-radius: 50%; background: var(--card); border: 3px solid var(--line);
}
.timeline > .stay::before { background: var(--accent); border-color: var(--accent); }
.timeline > .stop::before { border-color: var(--warn); }
.timeline > .way::before, .timeline > .gap::before, .timeline > .erased::before {
  width: 0.5rem; height: 0.5rem; left: calc(-0.25rem - 1.5px); top: 1.05rem;
}
.timeline .when { color: var(--soft); font-variant-numeric: tabular-nums; }
.daylinks { display: grid; grid-template-columns: repeat(7, 1fr); gap: 0.25rem; margin: 0.5rem 0 1rem; }
.daylinks a {
  padding: 0.3rem 0; border-radius: 6px; text-align: center; text-decoration: none; color: var(--ink);
  line-height: 1.25;
}
.daylinks a:hover { background: var(--accent-soft); }
.daylinks [aria-current] { outline: 2px solid var(--accent); font-weight: 600; }
.daylinks abbr { display: block; font-size: 0.8rem; font-weight: 400; color: var(--soft); text-decoration: none; }
.calendar { font-size: 0.9rem; table-layout: fixed; }
.calendar caption { padding: 0 0 0.25rem; text-align: center; }
.calendar caption a { display: inline-block; padding: 0 0.75rem; text-decoration: none; font-size: 1.2rem; }
.calendar th, .calendar td { padding: 0.1rem; border: 0; text-align: center; min-width: 0; color: var(--soft); }
.calendar abbr { text-decoration: none; font-weight: 400; }
.calendar a:not(caption a), .calendar td > span {
  display: block; padding: 0.2rem 0; border-radius: 6px; text-decoration: none; color: var(--ink);
}
.calendar .shade1 { background: color-mix(in srgb, var(--accent) 12%, transparent); }
.calendar .shade2 { background: color-mix(in srgb, var(--accent) 24%, transparent); }
.calendar .shade3 { background: color-mix(in srgb, var(--accent) 36%, transparent); }
.calendar [aria-current] { outline: 2px solid var(--accent); font-weight: 600; }
.calendar .today { font-weight: 700; }
`
