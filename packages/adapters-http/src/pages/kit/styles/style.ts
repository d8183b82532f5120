import { consentStyle } from "./consentStyle.js"
import { pictureStyle } from "./pictureStyle.js"
import { readerStyle } from "./readerStyle.js"

/** The styles of all pages, served as one file. The file's name contains a digest of its content. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #f7f6f2; --card: #ffffff; --ink: #1c2422; --soft: #56615d; --line: #d9d9d0; --field: #8a948f;
  --accent: #17604d; --accent-ink: #ffffff; --accent-soft: #e4efe9;
  --warn: #7a4a00; --warn-soft: #fdf3dc; --warn-line: #e3c27a;
  --bad: #a1261d; --bad-soft: #fcebe9; --focus: #1a56c4;
  --map-water: #c9dfe8; --map-land: #f4f1e6; --map-coast: #8fb0bd; --map-water-line: #a9c9d6; --map-border: #b4a48f;
  --map-name: #4a4436; --map-halo: #fbf9f2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #151a19; --card: #1d2423; --ink: #eaefec; --soft: #a9b5b0; --line: #36403d; --field: #7c8985;
    --accent: #7fd3b6; --accent-ink: #0d201a; --accent-soft: #22352f;
    --warn: #f3cf86; --warn-soft: #332a17; --warn-line: #6d5826;
    --bad: #ffaaa1; --bad-soft: #3a2220; --focus: #8db8ff;
    --map-water: #17272f; --map-land: #2a3230; --map-coast: #46606a; --map-water-line: #35525e; --map-border: #6d675a;
    --map-name: #d3d0c2; --map-halo: #1a2120;
  }
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { font: 100%/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
h1 { font-size: 1.65rem; line-height: 1.2; letter-spacing: -0.01em; margin: 0 0 0.5rem; text-wrap: balance; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 0.5rem; }
h3 { font-size: 1rem; margin: 0 0 0.25rem; }
p { margin: 0 0 0.75rem; }
ul, ol { margin: 0 0 0.75rem; padding-left: 1.25rem; }
dl { margin: 0; display: grid; grid-template-columns: fit-content(50%) minmax(0, 1fr); gap: 0.35rem 1.25rem; }
dl + form, dl + details, dl + h3, form + h3, .bars + .unseen + h3 { margin-top: 1.25rem; }
dl + p, details form + p { margin-top: 0.75rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
dd > :last-child { margin-bottom: 0; }
dd > .plain > li + li { margin-top: 0.5rem; }
dd > form:last-child { margin-bottom: 0.75rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
code, pre, .code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.875em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: 0.5rem 1rem; z-index: 1; }

.top { border-bottom: 1px solid var(--line); background: var(--card); }
.top > div {
  max-width: 62rem; margin: 0 auto; padding: 0.6rem 1.25rem; display: flex; flex-wrap: wrap; align-items: center;
  gap: 0.25rem 1.5rem;
}
/* The header is as wide as the content. The navigation of a signed-in reader has its own row. */
.top > div:has(.who) { padding-bottom: 0; }
.who { margin-left: auto; }
.top nav:has(~ .who) { order: 1; flex-basis: 100%; }
.brand {
  display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 650; color: var(--ink); text-decoration: none;
  white-space: nowrap; flex-shrink: 0;
}
.brand svg { width: 1.35rem; height: 1.35rem; color: var(--accent); }
.top nav { display: flex; flex-wrap: wrap; gap: 0 1rem; flex: 1 1 auto; }
.top nav a, .tabs a {
  color: var(--soft); text-decoration: none; padding: 0.3rem 0; border-bottom: 2px solid transparent;
}
.top nav a:hover, .tabs a:hover { color: var(--ink); }
.top nav a[aria-current], .tabs a[aria-current] { color: var(--ink); border-color: var(--accent); font-weight: 600; }
.who { display: flex; align-items: center; gap: 0.75rem; color: var(--soft); font-size: 0.9rem; min-width: 0; }
.who span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 12rem; }
.who a, .who button { white-space: nowrap; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
main.narrow { max-width: 31rem; }
main.middle { max-width: 42rem; }
main > h2 { margin-top: 2rem; }
h1 + .card, h1 + form, h1 + .note, h1 + .problems, h1 + .plain { margin-top: 1rem; }
form.actions + p { margin-top: 1.5rem; }
.lead { color: var(--soft); margin-bottom: 1.5rem; max-width: 46rem; }
.tabs {
  display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; border-bottom: 1px solid var(--line); margin: 0 0 1.5rem;
}
.tabs a { margin-bottom: -1px; }

.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem; margin: 0 0 1.25rem;
}
.card > :last-child { margin-bottom: 0; }
.card header {
  display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem;
  margin-bottom: 0.5rem;
}
.card header > * { margin: 0; min-width: 0; }
.logo {
  display: block; width: 3.5rem; height: 3.5rem; border-radius: 12px; background: var(--card); object-fit: contain;
  margin-bottom: 0.5rem;
}
.sentence::first-letter { text-transform: uppercase; }
.preview a { text-decoration: underline; }
.preview { border: 2px dashed var(--line); border-radius: 12px; padding: 1.25rem; }
.plain { list-style: none; padding: 0; }
.grid {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 1.25rem;
  margin-bottom: 1.25rem;
}
.grid > .card { margin: 0; }
/* A card without other cards beside it takes the whole width, and shows its picture beside the text. */
@media (min-width: 48rem) {
  .grid > .card:only-child:has(> .mini) { display: grid; grid-template-columns: 22rem 1fr; gap: 0 1.5rem; }
  .grid > .card:only-child > .mini { grid-row: 1 / span 4; align-self: start; }
  .grid > .card:only-child:has(> .mini) > :not(.mini) { grid-column: 2; }
}
.soft { color: var(--soft); } .small { font-size: 0.9rem; }
.empty {
  color: var(--soft); border: 1px dashed var(--line); border-radius: 12px; padding: 1.25rem; margin: 0 0 1.25rem;
}
.badge {
  display: inline-block; font-size: 0.8rem; font-weight: 600; line-height: 1.3; padding: 0.12rem 0.55rem;
  border-radius: 1rem; background: var(--accent-soft); color: var(--accent); overflow-wrap: break-word;
  max-width: 100%;
}
.badge.quiet { background: transparent; color: var(--soft); border: 1px solid var(--line); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }

.note, .problems { border-radius: 10px; padding: 0.9rem 1.1rem; margin: 0 0 1.25rem; border: 1px solid var(--line); }
.note { background: var(--accent-soft); border-color: transparent; }
.note.bad { background: var(--bad-soft); border-color: var(--bad); }
.note.warn { background: var(--warn-soft); border-color: var(--warn-line); }
.problems { background: var(--bad-soft); border-color: var(--bad); }
.problems h2 { color: var(--bad); font-size: 1rem; }
.problems a { color: var(--bad); }
.note > :last-child, .problems > :last-child { margin-bottom: 0; }

form { margin: 0; }
main.wide .card > form { max-width: 40rem; }
fieldset { border: 0; padding: 0; margin: 0 0 1.25rem; min-width: 0; }
legend { font-weight: 600; padding: 0; margin-bottom: 0.35rem; }
.field { margin: 0 0 1.1rem; }
.field > label { display: block; font-weight: 600; margin-bottom: 0.25rem; }
.hint { color: var(--soft); font-size: 0.9rem; margin: 0 0 0.3rem; }
.fault { color: var(--bad); font-size: 0.9rem; font-weight: 600; margin: 0 0 0.3rem; }
input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea {
  font: inherit; color: inherit; background: var(--card); width: 100%; min-height: 2.8rem; padding: 0.5rem 0.7rem;
  border: 1px solid var(--field); border-radius: 8px;
}
form.filter .field { margin-bottom: 0.5rem; }
form.filter input[type=date] { padding-inline: 0.6rem; }
form.filter .pair { grid-template-columns: repeat(auto-fit, minmax(min(100%, 8.75rem), 1fr)); }
form.filter.long .pair { grid-template-columns: repeat(auto-fit, minmax(min(100%, clamp(8.75rem, 22%, 11rem)), 1fr)); }
input[aria-invalid=true], textarea[aria-invalid=true], select[aria-invalid=true] {
  border-color: var(--bad); border-width: 2px;
}
input[type=date] { appearance: none; font-variant-numeric: tabular-nums; line-height: 1.5; }
input[type=date]::-webkit-calendar-picker-indicator {
  margin: 0; padding: 0.2rem; cursor: pointer; border-radius: 4px; opacity: 0.7;
}
input[type=date]::-webkit-calendar-picker-indicator:hover { opacity: 1; background-color: var(--accent-soft); }
input[type=date]::-webkit-datetime-edit-fields-wrapper { padding: 0; }
select {
  appearance: none; padding-right: 2rem;
  background-image: linear-gradient(45deg, transparent 50%, var(--soft) 50%),
    linear-gradient(135deg, var(--soft) 50%, transparent 50%);
  background-position: right 1.05rem center, right 0.7rem center; background-size: 0.35rem 0.35rem;
  background-repeat: no-repeat;
}
textarea { min-height: 5.5rem; resize: vertical; }
textarea.code { min-height: 7rem; overflow-wrap: anywhere; }
.pair {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); gap: 0 1rem; align-items: end;
}
.choices { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; }
.item { padding: 0.8rem 1rem; border: 1px solid var(--line); border-radius: 10px; }
.item > :last-child { margin-bottom: 0; }
.choice {
  display: grid; grid-template-columns: auto 1fr; gap: 0.1rem 0.7rem; align-items: start; padding: 0.65rem 0.8rem;
  border: 1px solid var(--line); border-radius: 10px; background: var(--card);
}
.choice > input { margin: 0.25rem 0 0; width: 1.1rem; height: 1.1rem; accent-color: var(--accent); }
.choice > div { grid-column: 2; min-width: 0; }
.choice > div:first-child { grid-column: 1 / -1; }
.choice label { font-weight: 500; display: block; }
.choice .also {
  display: flex; gap: 0.5rem; align-items: baseline; margin-top: 0.35rem; color: var(--soft); font-size: 0.9rem;
}
.choice .also label { font-weight: 400; }
.choice:has(> input[name=place]:not(:checked)) .also { display: none; }
.choice .also input { accent-color: var(--accent); }
.choice blockquote {
  margin: 0.35rem 0 0; padding-left: 0.75rem; border-left: 3px solid var(--warn-line); color: var(--soft);
  font-size: 0.93rem;
}
.sensitive { background: var(--warn-soft); border: 1px solid var(--warn-line); border-radius: 12px; padding: 1rem; }
.sensitive legend { float: left; width: 100%; color: var(--warn); }
.sensitive legend + * { clear: both; }

button, .button {
  font: inherit; font-weight: 600; line-height: 1.3; cursor: pointer; display: inline-block; text-align: center;
  text-decoration: none;
  padding: 0.6rem 1.15rem; border-radius: 8px; border: 1px solid var(--accent); background: var(--accent);
  color: var(--accent-ink);
}
button:hover, .button:hover { filter: brightness(1.08); }
button.second, .button.second { background: transparent; color: var(--accent); }
button.danger { background: transparent; border-color: var(--bad); color: var(--bad); }
button.link {
  background: none; border: 0; padding: 0; color: var(--accent); font-weight: 500; text-decoration: underline;
  text-underline-offset: 0.15em;
}
.steer { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.9rem; margin: 0.25rem 0 1.25rem; }
.steer .hint { margin: 0.35rem 0 0; }
.steer .note { margin: 0; }
.steer .note p { margin-bottom: 0.6rem; }
.steer details { margin: 0; }
.steer fieldset { margin: 0; }
.hint + .pair { margin-top: 1rem; }
.steer + dl { border-top: 1px solid var(--line); padding-top: 1rem; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.row button { padding-inline: 0.85rem; max-width: 100%; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; margin-top: 1rem; }
.actions + .card, .actions + form, p + .scroll, dl + .scroll { margin-top: 1.25rem; }
.decide {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 7.5rem), 1fr)); gap: 0.75rem;
  margin-top: 1.5rem;
}
.decide button { padding-inline: 0.5rem; }
.decide button[aria-disabled="true"] { opacity: 0.6; cursor: default; }
.decide.three { grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); }
button.stop { background: var(--bad); border-color: var(--bad); color: var(--card); }
.big { font-size: 1.35rem; font-weight: 600; line-height: 1.3; margin-bottom: 0.25rem; }
.big .badge { vertical-align: middle; }
.pairs {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 1.25rem;
  margin-bottom: 1.25rem;
}
.pairs > .card { margin: 0; }
.rows > li {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem;
  padding: 0.6rem 0; border-bottom: 1px solid var(--line);
}
.rows > li:last-child { border-bottom: 0; }
.settings { margin: 0; }
.settings > li { display: grid; grid-template-columns: minmax(0, 1fr) max-content; }
.settings p { margin: 0; }
.settings h3 { margin: 0; }
.settings a { max-width: 14rem; text-align: right; }
${pictureStyle}${consentStyle}.steps { list-style: none; padding: 0; counter-reset: step; display: grid; gap: 1rem; }
.steps > li { display: grid; grid-template-columns: 2rem 1fr; gap: 0.75rem; counter-increment: step; }
.steps > li::before {
  content: counter(step); width: 2rem; height: 2rem; line-height: 2rem; text-align: center; border-radius: 50%;
  background: var(--accent); color: var(--accent-ink); font-weight: 600;
}
.steps > li.done::before { content: "✓"; background: var(--accent-soft); color: var(--accent); }
.steps p { margin-bottom: 0.5rem; }
.beside { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
@media (min-width: 56rem) {
  .beside { grid-template-columns: minmax(0, 1fr) 19rem; }
  /* The narrow column: a long name wraps, so that the value beside the name stays in one piece. */
  .beside dl { grid-template-columns: minmax(30%, 1fr) fit-content(60%); }
}
h1 + .pairs, h1 + .beside, h1 + .card { margin-top: 1.25rem; }
.lines { display: grid; gap: 0.35rem; }
.counts { display: grid; gap: 0.5rem; }
.counts li { display: grid; grid-template-columns: 6rem 1fr; gap: 0.25rem 0.75rem; }
.wide { width: 100%; }
meter { width: 10rem; max-width: 100%; height: 1rem; vertical-align: middle; }
details { margin: 0.75rem 0 0; }
summary { cursor: pointer; font-weight: 500; color: var(--accent); }
details > :nth-child(2) { margin-top: 0.75rem; }
#by-hand { margin: 0 0 1rem; }
main.wide .card > form.with-map { max-width: none; }
.with-map > :not([data-with-map]) { max-width: 40rem; }

.map {
  height: 26rem; max-height: 65vh; border: 1px solid var(--field); border-radius: 8px; margin: 0 0 1rem;
  background: var(--map-water); z-index: 0; position: relative; font: inherit;
}
.map:focus-visible::after {
  content: "+"; position: absolute; z-index: 1000; left: 50%; top: 50%; transform: translate(-50%, -50%);
  font-size: 2rem; line-height: 1; color: #000; text-shadow: 0 0 3px #fff, 0 0 3px #fff; pointer-events: none;
}
.map path.place {
  stroke: var(--accent); fill: var(--accent); stroke-width: 2; fill-opacity: 0.12; stroke-opacity: 0.7;
}
.map path.chosen { stroke: var(--warn); fill: var(--warn); stroke-width: 3; fill-opacity: 0.2; stroke-opacity: 1; }
.map path.newest { stroke: var(--card); fill: var(--focus); stroke-width: 2; fill-opacity: 1; stroke-opacity: 1; }
.map .leaflet-names-pane { z-index: 590; pointer-events: none; }
.map .leaflet-names-pane span { position: absolute; left: 0; top: 0; white-space: nowrap; }
.map .place-name {
  background: var(--card); color: var(--ink); border: 1px solid var(--line); border-radius: 6px;
  padding: 0.05rem 0.4rem; font-size: 0.85rem; line-height: 1.4; max-width: 11rem; overflow: hidden;
  text-overflow: ellipsis;
}
.map .town-name, .map .country-name {
  color: var(--map-name); font-size: 0.75rem; line-height: 1.2;
  text-shadow: 0 0 2px var(--map-halo), 0 0 2px var(--map-halo), 0 0 3px var(--map-halo);
}
.map .town-name.large { font-size: 0.85rem; font-weight: 600; }
.map .country-name { letter-spacing: 0.06em; text-transform: uppercase; font-size: 0.7rem; opacity: 0.85; }
.map .town-dot {
  width: 5px; height: 5px; border-radius: 50%; background: var(--map-name); border: 1px solid var(--map-halo);
}
.map-far {
  background: var(--card); color: var(--ink); border: 1px solid var(--line); border-radius: 6px;
  padding: 0.15rem 0.5rem; font-size: 0.8rem; max-width: 15rem;
}
.map .handle { cursor: grab; }
.map .handle::before { content: ""; position: absolute; border-radius: 50%; border: 2px solid var(--card); }
.map .pin::before {
  left: 3px; top: -9px; width: 22px; height: 22px; border-radius: 50% 50% 50% 0; transform: rotate(-45deg);
  background: var(--warn);
}
.map .pin::after {
  content: ""; position: absolute; left: 10px; top: -2px; width: 8px; height: 8px; border-radius: 50%;
  background: var(--card);
}
.map .knob { cursor: ew-resize; }
.map .knob::before { left: 6px; top: 6px; width: 16px; height: 16px; background: var(--warn); }
.map .leaflet-control-attribution, .map .leaflet-control-scale-line {
  background: var(--card); color: var(--soft); text-shadow: none; border-color: var(--field);
  font-size: 0.75rem; line-height: 1.4;
}
.map .leaflet-control-attribution a { color: var(--accent); }
.map .leaflet-bar a { background: var(--card); color: var(--ink); border-color: var(--line); }
.map .leaflet-bar a.leaflet-disabled { color: var(--soft); }
.scroll {
  overflow-x: auto; margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: var(--card);
}
table { border-collapse: collapse; width: 100%; font-size: 0.93rem; }
caption { text-align: left; padding: 0.75rem 1rem 0; color: var(--soft); }
caption h3 { display: inline; color: var(--ink); margin-right: 0.75rem; }
.log td:first-child { width: 8rem; }
.log td:last-child { width: 26%; }
.log td:nth-child(2) { width: 26%; }
@media (max-width: 40rem) { .stack.log td { width: auto; } .stack caption { display: block; } }
th, td { text-align: left; vertical-align: top; padding: 0.6rem 1rem; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
td { min-width: 8rem; }
td.nowrap { white-space: nowrap; }
@media (min-width: 64rem) { .whole { overflow-wrap: break-word; } td.whole wbr { display: none; } }
.secret {
  display: block; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 0.7rem 0.9rem;
  margin: 0 0 0.75rem; user-select: all;
}
.secret { white-space: pre-wrap; }
.copy { padding: 0.3rem 0.8rem; margin: 0 0 1.1rem; }
.arrival p:last-child { margin-bottom: 0; }
pre.letter { white-space: pre-wrap; margin: 0; }
.qr {
  width: 17rem; max-width: 100%; background: #ffffff; padding: 0.75rem; border-radius: 10px;
  border: 1px solid var(--line);
}
.qr + .below { margin: 1rem 0 1.25rem; }
.below .button { margin: 0.35rem 0 0 0.5rem; }
[data-said] { margin: 0.75rem 0 0; }
[data-said]:empty { display: none; }
.qr svg { display: block; width: 100%; height: auto; }
.foot {
  max-width: 62rem; margin: 0 auto; padding: 0 1.25rem 2rem; color: var(--soft); font-size: 0.85rem; display: flex;
  flex-wrap: wrap; gap: 0.25rem 1.25rem;
}
.foot a { color: var(--soft); }
@media (max-width: 40rem) {
  .strips > li { grid-template-columns: minmax(0, 1fr); }
  .day text { font-size: 26px; }
  .day .town-name, .day text.scale { font-size: 22px; }
  .top > div { gap: 0.1rem 0.75rem; padding-bottom: 0; }
  .top nav {
    order: 1; flex: 1 0 100%; gap: 0 0.35rem; font-size: 0.76rem;
  }
  .top.rows nav { gap: 0 0.9rem; font-size: 0.9rem; }
  .top nav a { display: inline-block; white-space: nowrap; padding: 0.5rem 0; }
  .top nav a::first-letter { text-transform: uppercase; }
  .top .roomy, .who span { display: none; }
  .who { flex-wrap: wrap; }
  .brand { margin: 0.35rem 0; white-space: normal; flex-shrink: 1; }
  .brand:last-child { padding-bottom: 0.6rem; }
  .below .button { display: block; margin: 0.5rem 0 0; }
  form.filter .pair { grid-template-columns: repeat(auto-fit, minmax(min(100%, max(8.75rem, 50% - 0.5rem)), 1fr)); }
  form.filter .pair > .field:not(:has([type=date])) { grid-column: 1 / -1; }
  form.filter .field > button { width: 100%; }
  main { padding-top: 1.25rem; }
  .settings > li { grid-template-columns: minmax(0, 1fr); gap: 0.1rem; }
  .settings a { max-width: none; text-align: left; }
  dl { grid-template-columns: 1fr; gap: 0 0; }
  dd { margin-bottom: 0.5rem; }
  .stack thead { position: absolute; left: -100vw; }
  .stack tr { display: block; padding: 0.6rem 1rem; border-bottom: 1px solid var(--line); }
  .stack tbody tr:last-child { border-bottom: 0; }
  .stack, .stack tbody { display: block; }
  .stack td, .stack th { display: block; border: 0; padding: 0.1rem 0; white-space: normal; min-width: 0; }
  .stack td[data-label] { display: flow-root; padding-left: 7.5rem; }
  .stack td[data-label]::before {
    content: attr(data-label); color: var(--soft); font-size: 0.85rem; line-height: 1.7; float: left; width: 7.1rem;
    margin-left: -7.5rem;
  }
}
${readerStyle}@media (prefers-reduced-motion: no-preference) { button, .button { transition: filter 0.12s; } }
`
