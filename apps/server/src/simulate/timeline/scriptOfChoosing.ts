/** The last part of the page's script: a person chooses an entry, by mouse or keyboard, and moves the view. */
export const CHOOSING = `
// ---- choosing one entry
const select = (i, quiet) => {
  const e = entries[i]
  if (!e) return
  on = i
  moveTo(e.t)
  const wrong = violations.filter((v) => v.at === i).map((v) => v.invariant + ": " + v.detail)
  $("title").textContent = "Entry " + i + ": " + brief(e)
  $("when").textContent =
    iso(e.clock) +
    " (" +
    since(e.t) +
    " after the start" +
    (e.clock === e.t ? ")" : "; the clock had been set)") +
    (wrong.length ? "\\nBreaks " + wrong.join("\\nBreaks ") : "")
  const { clock, ...entry } = e,
    text = JSON.stringify({ ...entry, t: clock }, null, 2)
  $("json").textContent = text.length > 60000 ? text.slice(0, 60000) + "\\n… (" + text.length + " characters)" : text
  const near = related(e),
    here = near.indexOf(i),
    from = Math.max(0, Math.min(here - 60, near.length - 200))
  $("near").replaceChildren(
    ...near.slice(from, from + 200).map((n) => {
      const b = el("button", { type: "button", textContent: since(entries[n].t) + "  " + brief(entries[n]) })
      b.dataset.go = n
      if (n === i) b.setAttribute("aria-current", "true")
      return el("li", {}, b)
    })
  )
  $("nearTitle").textContent =
    near.length > 1 ? "What belongs to it (" + near.length + ")" : "Nothing else belongs to it"
  showState()
  draw()
  if (!quiet) {
    const row = rowOf()
    if (row) {
      row.node.scrollIntoView({ block: "nearest" })
      draw()
    }
  }
}
/** Chooses an entry and scrolls to its lane: for the end of an operation, to the lane that shows the beginning. */
const jump = (i) => {
  const e = entries[i]
  if (!e) return
  const has = (n) => rows.some((r) => !r.head && (r.dots.some((d) => d.i === n) || r.lane.bars.some((b) => b.i === n)))
  if (view.to - view.from > 86400000 * 2) {
    view = { from: e.t - 7200000, to: e.t + 7200000 }
    clamp()
  }
  select(i)
  if (!has(i) && e.op !== undefined && e.op !== null) {
    const row = shown().find((r) => !r.head && r.dots.some((d) => d.i === e.op))
    if (row) row.node.scrollIntoView({ block: "nearest" })
  }
  draw()
}
/** The lane in which the entry was chosen: an entry can be in several lanes. */
const rowOf = () => {
  const has = (r) => !r.head && !r.node.hidden && r.dots.some((d) => d.i === dotOfChosen())
  return lane && has(lane) ? lane : shown().find(has)
}
const step = (way) => {
  const row = rowOf() || shown().find((r) => !r.head && r.dots.length)
  if (!row) return
  const at = row.dots.findIndex((d) => d.i === dotOfChosen()),
    next = row.dots[at < 0 ? 0 : Math.min(row.dots.length - 1, Math.max(0, at + way))]
  if (next) {
    lane = row
    select(next.i)
  }
}
const change = (way) => {
  const all = shown().filter((r) => !r.head && r.dots.length)
  if (!all.length) return
  const now = all.indexOf(rowOf()),
    row = all[now < 0 ? 0 : Math.min(all.length - 1, Math.max(0, now + way))]
  const t = on === null ? view.from : entries[on].t
  lane = row
  select(row.dots.reduce((a, b) => (Math.abs(b.t - t) < Math.abs(a.t - t) ? b : a)).i)
}

build()
const facts = data.facts
$("facts").textContent = facts
if (violations.length) {
  $("wrongTitle").textContent =
    violations.length === 1 ? "1 rule broken" : violations.length + " times a rule was broken"
  $("wrong").replaceChildren(
    ...violations.slice(0, 200).map((v, n) => {
      const b = el("button", { type: "button", textContent: v.invariant + " at entry " + v.at + ": " + v.detail })
      b.dataset.go = v.at
      b.dataset.broken = n
      return b
    })
  )
} else {
  $("wrongTitle").textContent = "Rules"
  $("wrong").replaceChildren(el("p", { className: "fine", textContent: "No rule was broken." }))
}
const who = [...new Set(lanes.flatMap((l) => l.who))].filter((w) => w).sort()
$("who").append(
  el("option", { value: "", textContent: "everybody" }),
  ...who.map((w) => el("option", { value: w, textContent: w }))
)
$("who").addEventListener("change", (e) => {
  filter = e.target.value
  hide()
})
$("in").addEventListener("click", () => zoom(0.5))
$("out").addEventListener("click", () => zoom(2))
$("earlier").addEventListener("click", () => pan(-0.4))
$("later").addEventListener("click", () => pan(0.4))
$("all").addEventListener("click", () => {
  view = { ...full }
  redraw()
})
document.addEventListener("click", (e) => {
  const b = e.target.closest("[data-go]")
  if (b) {
    if (b.dataset.broken !== undefined) explain(Number(b.dataset.broken))
    jump(Number(b.dataset.go))
  }
})
let drag = null,
  moved = false
chart.addEventListener("pointerdown", (e) => {
  if (e.target.closest(".track")) {
    drag = { x: e.clientX, from: view.from, to: view.to }
    moved = false
  }
})
addEventListener("pointermove", (e) => {
  if (drag) {
    const by = ((drag.x - e.clientX) / width()) * (drag.to - drag.from)
    if (Math.abs(drag.x - e.clientX) > 3) moved = true
    if (moved) {
      view = { from: drag.from + by, to: drag.to + by }
      clamp()
      redraw()
    }
  }
  const t = e.target.closest && e.target.closest("[data-text]"),
    tip = $("tip")
  tip.hidden = !t || moved
  if (t) {
    tip.textContent = t.dataset.text
    tip.style.left = Math.min(e.clientX + 14, innerWidth - 430) + "px"
    tip.style.top = Math.min(e.clientY + 14, innerHeight - 120) + "px"
  }
})
addEventListener("pointerup", () => {
  drag = null
  setTimeout(() => {
    moved = false
  })
})
chart.addEventListener("click", (e) => {
  const t = e.target.closest("[data-i]")
  if (!t || moved) return
  lane = rows.find((r) => r.node === t.closest(".lane")) || null
  if (t.dataset.many) {
    const [a, b] = t.dataset.many.split(" ").map(Number)
    const room = Math.max(MIN_SPAN, (b - a) * 0.3)
    if (b > a || view.to - view.from > MIN_SPAN * 2) {
      if (b - a + 2 * room < (view.to - view.from) * 0.8) view = { from: a - room, to: b + room }
      clamp()
    }
  }
  select(Number(t.dataset.i), true)
})
chart.addEventListener(
  "wheel",
  (e) => {
    if (
      !(e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) &&
      Math.abs(e.deltaX) < Math.abs(e.deltaY) &&
      !e.target.closest("#axis")
    )
      return
    e.preventDefault()
    const w = width(),
      t = view.from + ((e.clientX - chart.getBoundingClientRect().left - LEFT) / w) * (view.to - view.from)
    if (e.shiftKey && !e.ctrlKey) pan((e.deltaY || e.deltaX) / 1000)
    else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(e.deltaX / 1000)
    else zoom(e.deltaY > 0 ? 1.25 : 0.8, t)
  },
  { passive: false }
)
chart.addEventListener("keydown", (e) => {
  const keys = {
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    0: () => {
      view = { ...full }
      redraw()
    },
    ArrowRight: () => (e.shiftKey ? pan(0.4) : step(1)),
    ArrowLeft: () => (e.shiftKey ? pan(-0.4) : step(-1)),
    ArrowDown: () => change(1),
    ArrowUp: () => change(-1)
  }
  if (keys[e.key]) {
    e.preventDefault()
    keys[e.key]()
  }
})
chart.addEventListener("scroll", redraw)
addEventListener("resize", redraw)
listSubjects()
showState()
draw()
if (violations.length) {
  explain(0)
  jump(violations[0].at)
}
`
