/** The style sheet of the page that `timelineOf` makes. */
export const STYLE = `
:root {
  color-scheme: light;
  --ink: #1d2430;
  --soft: #5b6675;
  --line: #d9dee6;
  --paper: #fff;
  --wash: #f5f7fa;
  --live: #a8d5ba;
  --sensitive: #9cc4ee;
  --grace: #f5cf8a;
  --ended: #c9ced6;
  --up: #dce9f5;
  --window: #e3d8f7;
  --disabled: #e8c4c4;
  --good: #1f8a4c;
  --refused: #c77700;
  --bad: #c62828;
  --fired: #6a3fc4;
  --note: #4a5a70;
  --fault: #b3196b;
}
* {
  box-sizing: border-box;
}
body {
  margin: 0;
  height: 100vh;
  display: grid;
  grid-template-rows: auto minmax(0, 1fr);
  font:
    14px/1.4 system-ui,
    sans-serif;
  color: var(--ink);
  background: var(--paper);
}
header {
  padding: 10px 16px;
  border-bottom: 1px solid var(--line);
  display: flex;
  flex-wrap: wrap;
  gap: 8px 20px;
  align-items: center;
}
h1 {
  font-size: 17px;
  margin: 0;
}
.facts {
  color: var(--soft);
}
.tools {
  display: flex;
  gap: 6px;
  align-items: center;
  margin-left: auto;
}
button,
select,
input {
  font: inherit;
  color: inherit;
  padding: 4px 10px;
  border: 1px solid #8a95a5;
  border-radius: 5px;
  background: var(--paper);
}
button {
  cursor: pointer;
}
button:hover {
  background: var(--wash);
}
:focus-visible {
  outline: 2px solid #1a5fd0;
  outline-offset: 1px;
}
main {
  display: grid;
  grid-template-columns: minmax(0, 1fr) 400px;
  min-height: 0;
}
.left {
  display: flex;
  flex-direction: column;
  min-width: 0;
  min-height: 0;
}
.legend {
  padding: 6px 16px;
  display: flex;
  flex-wrap: wrap;
  gap: 3px 14px;
  color: var(--soft);
  font-size: 12px;
  border-bottom: 1px solid var(--line);
}
.legend i {
  display: inline-block;
  width: 18px;
  height: 9px;
  margin-right: 4px;
  border-radius: 2px;
}
.legend i.d {
  width: 9px;
  border-radius: 50%;
}
.chart {
  flex: 1;
  overflow-y: auto;
  overflow-x: hidden;
  position: relative;
  touch-action: none;
  min-height: 0;
  scrollbar-gutter: stable;
}
.axis {
  position: sticky;
  top: 0;
  z-index: 3;
  height: 34px;
  background: var(--paper);
  border-bottom: 1px solid var(--line);
  margin-left: 210px;
  overflow: hidden;
}
.axis span {
  position: absolute;
  top: 2px;
  font-size: 11px;
  line-height: 15px;
  color: var(--soft);
  white-space: pre;
  border-left: 1px solid #b8c0cc;
  padding-left: 4px;
  height: 32px;
  font-variant-numeric: tabular-nums;
}
.group {
  font-size: 11px;
  text-transform: uppercase;
  letter-spacing: 0.06em;
  color: var(--soft);
  background: var(--wash);
  padding: 2px 16px;
  border-bottom: 1px solid var(--line);
}
.lane {
  position: relative;
  height: 26px;
  border-bottom: 1px solid #edf0f4;
}
.lane[data-on] {
  background: #eef4fe;
}
.lane > b {
  position: absolute;
  left: 0;
  width: 210px;
  padding: 3px 8px 0 16px;
  font-weight: 400;
  font-size: 12.5px;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
  height: 25px;
  background: inherit;
}
.track {
  position: absolute;
  left: 210px;
  right: 0;
  top: 0;
  bottom: 0;
  overflow: hidden;
  cursor: grab;
}
.track.drag {
  cursor: grabbing;
}
.bar {
  position: absolute;
  top: 7px;
  height: 12px;
  border-radius: 3px;
  min-width: 3px;
}
.bar[data-look="window"] {
  top: 3px;
  height: 4px;
}
.bar[data-look="ended"] {
  background: var(--ended);
}
.dot {
  position: absolute;
  top: 8px;
  width: 10px;
  height: 10px;
  margin-left: -5px;
  border-radius: 50%;
  border: 1px solid #fff;
  cursor: pointer;
}
.dot.many {
  width: 16px;
  height: 16px;
  top: 5px;
  margin-left: -8px;
  font-size: 9px;
  line-height: 14px;
  color: #fff;
  text-align: center;
  overflow: hidden;
}
.dot[data-on],
.bar[data-on] {
  outline: 3px solid #1a5fd0;
  z-index: 2;
}
.cut {
  position: absolute;
  top: 0;
  bottom: 0;
  width: 1px;
  background: #e8ebf0;
}
.cut.wrong {
  width: 2px;
  background: var(--bad);
  opacity: 0.6;
}
aside {
  border-left: 1px solid var(--line);
  overflow-y: auto;
  padding: 12px 16px;
  min-height: 0;
}
aside h2 {
  font-size: 14px;
  margin: 14px 0 6px;
}
aside h2:first-child {
  margin-top: 0;
}
.wrong button {
  display: block;
  width: 100%;
  text-align: left;
  margin-bottom: 4px;
  border-color: var(--bad);
  color: #8e1616;
  background: #fff5f5;
  overflow-wrap: anywhere;
}
.fine {
  color: var(--good);
}
pre {
  margin: 0;
  padding: 8px 10px;
  background: var(--wash);
  border: 1px solid var(--line);
  border-radius: 5px;
  overflow: auto;
  max-height: 46vh;
  font:
    12px/1.45 ui-monospace,
    monospace;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.steps {
  display: flex;
  flex-wrap: wrap;
  gap: 6px;
  align-items: center;
  margin: 6px 0;
}
button:disabled {
  color: var(--soft);
  border-color: var(--line);
  cursor: default;
}
aside select {
  max-width: 100%;
}
aside dl {
  display: grid;
  grid-template-columns: minmax(90px, auto) minmax(0, 1fr);
  gap: 2px 12px;
  margin: 0;
}
dt {
  color: var(--soft);
}
dd {
  margin: 0;
  overflow-wrap: anywhere;
}
dd.changed {
  font-weight: 600;
  background: #fff3d1;
}
dd del {
  display: block;
  font-weight: 400;
  color: var(--soft);
}
.near {
  list-style: none;
  margin: 0;
  padding: 0;
}
.near button {
  width: 100%;
  text-align: left;
  border: 0;
  padding: 2px 6px;
  font-size: 12.5px;
  overflow-wrap: anywhere;
}
.near button[aria-current="true"] {
  background: #dbe8fd;
}
.tip {
  position: fixed;
  z-index: 9;
  pointer-events: none;
  max-width: 420px;
  background: #1d2430;
  color: #fff;
  padding: 4px 8px;
  border-radius: 4px;
  font-size: 12px;
  white-space: pre-line;
}
.tip[hidden] {
  display: none;
}
kbd {
  font:
    11px ui-monospace,
    monospace;
  border: 1px solid var(--line);
  border-radius: 3px;
  padding: 0 4px;
}
`
