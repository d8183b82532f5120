import type { Simulation } from "@place-access/domain/testing"
import { explanationOf } from "./causes.js"
import { placed } from "./Lane.js"
import { lanesOf } from "./lanes.js"
import { SCRIPT } from "./script.js"
import { statesOf } from "./states.js"
import { STYLE } from "./style.js"

type Violation = Simulation.Violation
type Entry = Simulation.Entry

/** The facts that the page draws. Every result of a run has them. */
export interface Drawn {
  readonly seed: number
  readonly entries: ReadonlyArray<Entry>
  readonly violations: ReadonlyArray<Violation>
  readonly virtualMs: number
  readonly steps: number
  readonly traceHash: string
}

const DAY = 86_400_000
/** The most violations that the page explains. */
const EXPLAINED = 50

/** Renders a run as a page for people, in one file that loads nothing from the network. */
export const timelineOf = ({ entries: all, seed, steps, traceHash, violations, virtualMs }: Drawn): string => {
  const entries = placed(all)
  const start = entries[0]?.t ?? 0
  const end = entries.at(-1)?.t ?? start
  const days = (virtualMs / DAY).toFixed(1)
  const facts = `seed ${seed} · ${entries.length} entries in ${days} days · ${steps} steps · trace ${traceHash.slice(0, 12)}`
  const data = JSON.stringify({
    lanes: lanesOf(entries),
    entries,
    violations,
    explained: violations.slice(0, EXPLAINED).map((violation) => explanationOf(all, violation)),
    subjects: statesOf(all),
    start,
    end,
    facts
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>Simulation, seed ${seed}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Simulation</h1><span class="facts" id="facts"></span>
<div class="tools">
<label id="fold" hidden><input type="checkbox" id="causes"> Only what led to it</label>
<label>Show <select id="who"></select></label>
<button type="button" id="earlier" title="Earlier (Shift ←)">← Earlier</button>
<button type="button" id="later" title="Later (Shift →)">Later →</button>
<button type="button" id="in" title="Zoom in (+)">Zoom in</button>
<button type="button" id="out" title="Zoom out (-)">Zoom out</button>
<button type="button" id="all" title="Everything (0)">Everything</button>
</div>
</header>
<main>
<div class="left">
<div class="legend">
${LEGEND.map(([look, words, dot]) => `<span><i${dot ? ' class="d"' : ""} style="background:var(--${look})"></i>${words}</span>`).join("\n")}
</div>
<div class="chart" id="chart" tabindex="0" role="list" aria-label="Lanes of the run. Arrow keys go from event to event, plus and minus zoom.">
<div class="axis" id="axis" aria-hidden="true"></div>
</div>
</div>
<aside>
<h2 id="wrongTitle"></h2>
<div class="wrong" id="wrong"></div>
<section id="led" hidden>
<h2 id="ledTitle"></h2>
<ol class="near" id="ledTo"></ol>
</section>
<section id="states" hidden>
<h2><label for="subject">State of</label></h2>
<select id="subject"></select>
<div class="steps">
<button type="button" id="before">◀ Change before</button>
<button type="button" id="after">Next change ▶</button>
<span class="facts" id="moment"></span>
</div>
<dl id="state" aria-live="polite"></dl>
</section>
<div aria-live="polite">
<h2 id="title">Nothing is chosen</h2>
<p id="when" style="white-space: pre-line; margin: 0 0 6px">${HINT}</p>
</div>
<pre id="json" tabindex="0" aria-label="The entry of the trace"></pre>
<h2 id="nearTitle"></h2>
<ul class="near" id="near"></ul>
<p class="facts" id="span"></p>
</aside>
</main>
<div class="tip" id="tip" hidden></div>
<script type="application/json" id="data">${inScript(data)}</script>
<script>${SCRIPT}</script>
</body>
</html>
`
}

/** The lines are joined by spaces, because the browser would show each line break. */
const HINT = [
  "Click a dot or a bar. A number stands for several events: click it to zoom in. Drag to move;",
  "<kbd>Ctrl</kbd> and the wheel zoom. With the keyboard: <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> from event",
  "to event, <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> to zoom."
].join(" ")

/** Escapes everything in the JSON that could end the script element or begin an HTML comment. */
const inScript = (json: string): string =>
  json.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

const LEGEND: ReadonlyArray<readonly [look: string, words: string, isDot: boolean]> = [
  ["sensitive", "live, with coordinates", false],
  ["grace", "in the grace period", false],
  ["live", "live", false],
  ["ended", "ended", false],
  ["window", "a rule's window", false],
  ["up", "program runs", false],
  ["good", "done, 2xx", true],
  ["refused", "refused, not 2xx", true],
  ["bad", "lost, unknown, no answer", true],
  ["fired", "rule fired", true],
  ["fault", "broken on purpose", true],
  ["note", "other", true]
]
