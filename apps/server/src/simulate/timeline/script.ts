import { CHOOSING } from "./scriptOfChoosing.js"
import { READING } from "./scriptOfReading.js"

/** The first part of the page's script: reads the trace and draws the lanes. */
const DRAWING = `
"use strict"
const data = JSON.parse(document.getElementById("data").textContent)
const { lanes, entries, violations, explained, subjects, start, end } = data
const $ = (id) => document.getElementById(id)
const LEFT = 210,
  MIN_SPAN = 1000,
  CLUSTER = 9
const LOOKS = ["bad", "fault", "refused", "fired", "good", "note"]
const el = (tag, props, ...kids) => {
  const e = document.createElement(tag)
  Object.assign(e, props || {})
  e.append(...kids)
  return e
}
const iso = (t) => {
  const d = new Date(t)
  return isNaN(d) ? String(t) : d.toISOString().replace("T", " ").replace("Z", "")
}
const since = (t) => {
  const s = Math.max(0, t - start) / 1000
  const d = Math.floor(s / 86400),
    h = Math.floor(s / 3600) % 24,
    m = Math.floor(s / 60) % 60
  const r = s % 60
  return (
    (d ? "day " + d + " " : "") +
    String(h).padStart(2, "0") +
    ":" +
    String(m).padStart(2, "0") +
    ":" +
    (r < 10 ? "0" : "") +
    (r % 1 ? r.toFixed(3) : r)
  )
}
const full = { from: start, to: Math.max(end, start + MIN_SPAN) }
const pad = (full.to - full.from) * 0.02
full.from -= pad
full.to += pad
let view = { ...full },
  on = null,
  lane = null,
  filter = "",
  queued = false
/**
 * The entry whose dot is marked as chosen. For the end of an operation this is the operation's beginning, because the
 * lanes show an operation there.
 */
const dotOfChosen = () => (on === null ? null : entries[on].kind === "done" ? entries[on].op : on)

// ---- entries that belong together
const ends = new Map(),
  byEvent = new Map(),
  byOp = new Map()
const push = (map, key, i) => {
  if (key === null || key === undefined) return
  const l = map.get(key)
  if (l) {
    if (l[l.length - 1] !== i) l.push(i)
  } else map.set(key, [i])
}
const IDS = /"(?:event_id|eventId|deliveryId|ruleId|rule_id)":"([^"]{6,})"/g
const idsOf = (e) => {
  const s = JSON.stringify(e)
  const ids = new Set()
  if (s.length < 20000) for (const m of s.matchAll(IDS)) ids.add(m[1])
  return ids
}
for (const e of entries) {
  if (e.kind === "begun") push(byOp, e.i, e.i)
  if (e.op !== undefined && e.op !== null) push(byOp, e.op, e.i)
  if (["posted", "heard", "port", "begun"].includes(e.kind)) for (const id of idsOf(e)) push(byEvent, id, e.i)
}
const related = (e) => {
  const op = e.kind === "begun" ? e.i : e.op
  const all = new Set(op === undefined || op === null ? [] : byOp.get(op) || [])
  for (const id of idsOf(e)) for (const i of byEvent.get(id) || []) all.add(i)
  return [...all].sort((a, b) => a - b)
}
const brief = (e) => {
  switch (e.kind) {
    case "begun":
      return e.actor + " begins " + ((e.args.request && e.args.request.endpoint) || e.name)
    case "done":
      return (
        e.name +
        " ends: " +
        (e.outcome._tag === "ok"
          ? (e.outcome.value && e.outcome.value.status) || "ok"
          : e.outcome.error || e.outcome.because)
      )
    case "posted":
      return "POST " + (e.body.type || "") + " → " + e.reply
    case "heard":
      return (
        "listener: " +
        (e.message._tag === "Event"
          ? e.message.body.type
          : e.message._tag === "End"
            ? "ended: " + e.message.reason
            : e.message.count + " dropped")
      )
    case "port":
      return e.proc + " " + e.port + "." + e.method + ": " + e.outcome
    case "mailed":
      return "mail: " + e.subject
    case "fault":
      return e.fault + " " + e.detail
    case "mark":
      return "mark: " + e.mark
    default:
      return e.kind
  }
}

// ---- drawing
const chart = $("chart"),
  rows = []
const shown = () => rows.filter((r) => !r.node.hidden)
const build = () => {
  let group = ""
  lanes.forEach((lane, n) => {
    if (lane.group !== group) {
      group = lane.group
      const head = el("div", { className: "group", textContent: group })
      chart.append(head)
      rows.push({ node: head, group, head: true })
    }
    const name = el("b", { textContent: lane.label, title: lane.label }),
      track = el("div", { className: "track" })
    const node = el("div", { className: "lane" }, name, track)
    node.setAttribute("role", "listitem")
    node.setAttribute("aria-label", lane.group + ": " + lane.label + ", " + lane.dots.length + " events")
    chart.append(node)
    const all = lane.dots.slice().sort((a, b) => a.t - b.t || a.i - b.i)
    rows.push({ node, track, lane, n, group, all, dots: all })
  })
}
const width = () => Math.max(100, chart.clientWidth - LEFT)
const x = (t, w) => ((t - view.from) / (view.to - view.from)) * w
const drawRow = (row, w, cuts) => {
  const out = document.createDocumentFragment()
  for (const c of cuts)
    out.append(el("div", { className: "cut" + (c.wrong ? " wrong" : ""), style: "left:" + c.x + "px" }))
  for (const b of row.lane.bars) {
    const from = Math.max(-4, x(b.from, w)),
      to = Math.min(w + 4, x(b.to, w))
    if (to < -3 || from > w + 3) continue
    const bar = el("div", { className: "bar" })
    bar.style.left = from + "px"
    bar.style.width = Math.max(3, to - from) + "px"
    bar.style.background = "var(--" + b.look + ")"
    bar.dataset.look = b.look
    bar.dataset.i = b.i
    bar.dataset.text = b.text + "\\n" + iso(b.from) + " to " + iso(b.to)
    out.append(bar)
  }
  let at = 0
  const dots = row.dots
  while (at < dots.length && dots[at].t < view.from) at++
  while (at < dots.length && dots[at].t <= view.to) {
    const first = at,
      left = x(dots[at].t, w)
    while (at < dots.length && x(dots[at].t, w) - left < CLUSTER) at++
    const some = dots.slice(first, at),
      count = some.length
    const worst = some.reduce((a, b) => (LOOKS.indexOf(b.look) < LOOKS.indexOf(a.look) ? b : a))
    const mark = on !== null && some.find((d) => d.i === dotOfChosen())
    const dot = el("div", {
      className: count > 1 ? "dot many" : "dot",
      textContent: count > 1 ? (count > 99 ? "99" : count) : ""
    })
    dot.style.left = (count > 1 ? (left + x(some[count - 1].t, w)) / 2 : left) + "px"
    dot.style.background = "var(--" + worst.look + ")"
    dot.dataset.i = (mark || some[0]).i
    dot.dataset.many = count > 1 ? some[0].t + " " + some[count - 1].t : ""
    if (mark) dot.dataset.on = ""
    dot.dataset.text =
      count > 1
        ? count +
          " events\\n" +
          some
            .slice(0, 6)
            .map((d) => since(d.t) + " " + d.text)
            .join("\\n") +
          (count > 6 ? "\\n…" : "")
        : some[0].text + "\\n" + iso(entries[some[0].i].clock)
    out.append(dot)
  }
  row.track.replaceChildren(out)
}
const STEPS = [
  1, 10, 100, 1000, 5000, 15000, 30000, 60000, 300000, 900000, 1800000, 3600000, 10800000, 21600000, 43200000, 86400000,
  172800000, 604800000, 1209600000, 2592000000
]
const ticks = (w) => {
  const wanted = (view.to - view.from) / (w / 110),
    step = STEPS.find((s) => s >= wanted) || STEPS[STEPS.length - 1],
    out = []
  for (let k = Math.ceil((view.from - start) / step); start + k * step <= view.to; k++)
    out.push({ t: start + k * step, step })
  return out
}
const label = ({ t, step }) => {
  const s = Math.round((t - start) / 1000),
    d = Math.floor(s / 86400)
  if (step >= 86400000) return "day " + Math.round((t - start) / 86400000) + "\\n" + iso(t).slice(0, 10)
  const clock = since(t).replace(/^day \\d+ /, "")
  return (t < start ? "" : "day " + d + " ") + (step >= 60000 ? clock.slice(0, 5) : clock) + "\\n" + iso(t).slice(5, 16)
}
const draw = () => {
  queued = false
  const w = width(),
    marks = ticks(w)
  $("axis").replaceChildren(
    ...marks.map((m) => {
      const s = el("span", { textContent: label(m) })
      s.style.left = x(m.t, w) + "px"
      return s
    })
  )
  const cuts = marks.map((m) => ({ x: x(m.t, w) }))
  for (const v of violations) {
    const e = entries[v.at]
    if (e && e.t >= view.from && e.t <= view.to) cuts.push({ x: x(e.t, w), wrong: true })
  }
  const top = chart.scrollTop - 400,
    bottom = chart.scrollTop + chart.clientHeight + 400
  for (const row of rows)
    if (!row.head && !row.node.hidden) {
      const y = row.node.offsetTop
      if (y >= top && y <= bottom) {
        drawRow(row, w, cuts)
        row.node.toggleAttribute("data-on", on !== null && row.dots.some((d) => d.i === dotOfChosen()))
      } else row.track.replaceChildren()
    }
  $("span").textContent =
    iso(Math.max(view.from, start)).slice(0, 16) + " to " + iso(Math.min(view.to, end)).slice(0, 16)
}
const redraw = () => {
  if (!queued) {
    queued = true
    requestAnimationFrame(draw)
  }
}
const clamp = () => {
  const span = Math.min(full.to - full.from, Math.max(MIN_SPAN, view.to - view.from))
  let from = view.from + (view.to - view.from - span) / 2
  from = Math.min(Math.max(from, full.from), full.to - span)
  view = { from, to: from + span }
}
const zoom = (by, where) => {
  const t = where === undefined ? (view.from + view.to) / 2 : where
  view = { from: t - (t - view.from) * by, to: t + (view.to - t) * by }
  clamp()
  redraw()
}
const pan = (share) => {
  const by = (view.to - view.from) * share
  view = { from: view.from + by, to: view.to + by }
  clamp()
  redraw()
}
const moveTo = (t) => {
  if (t < view.from || t > view.to) {
    const half = (view.to - view.from) / 2
    view = { from: t - half, to: t + half }
    clamp()
  }
}
`

/**
 * The script of the page that `timelineOf` makes. Everything from the trace enters the page as text, never as markup.
 */
export const SCRIPT = `${DRAWING}${READING}${CHOOSING}`
