/**
 * The middle part of the page's script: shows what led to a broken rule, and the state of a subject (a person,
 * connection, rule or delivery) at each moment.
 */
export const READING = `
// ---- what led to a broken rule
let fold = null
const hide = () => {
  const groups = new Set()
  for (const r of rows)
    if (!r.head) {
      r.dots = fold ? r.all.filter((d) => fold.has(d.i)) : r.all
      const isOther = filter !== "" && r.lane.who.length > 0 && !r.lane.who.includes(filter)
      r.node.hidden = isOther || (fold !== null && r.dots.length === 0)
      if (!r.node.hidden) groups.add(r.group)
    }
  for (const r of rows) if (r.head) r.node.hidden = !groups.has(r.group)
  redraw()
}
/** The number of the broken rule whose causes are shown. */
let broken = 0
const ledTo = () => (explained[broken] ? explained[broken].led : [])
const told = (i) => {
  const e = entries[i]
  if (e.kind !== "begun") return brief(e)
  const done = (byOp.get(i) || []).map((n) => entries[n]).find((one) => one.kind === "done"),
    what = (e.args.request && e.args.request.endpoint) || e.name
  return e.actor + ": " + what + (done ? brief(done).replace(/^.* ends:/, " →") : ", which never ended")
}
const explain = (n) => {
  broken = n
  const led = ledTo()
  $("fold").hidden = false
  $("led").hidden = led.length === 0
  $("ledTitle").textContent = "What led to it (" + led.length + " of " + entries.length + " entries)"
  $("ledTo").replaceChildren(
    ...led.map((i) => {
      const b = el("button", { type: "button", textContent: since(entries[i].t) + "  " + told(i) })
      b.dataset.go = i
      return el("li", {}, b)
    })
  )
  const about = explained[n] && explained[n].about
  if (subjects.some((s) => s.id === about)) $("subject").value = about
  refold($("causes").checked)
}
const refold = (isOn) => {
  const led = ledTo()
  fold = isOn && led.length ? new Set(led) : null
  if (fold) for (const i of led) if (entries[i].op !== undefined && entries[i].op !== null) fold.add(entries[i].op)
  hide()
}
$("causes").checked = true
$("causes").addEventListener("change", (e) => refold(e.target.checked))

// ---- the state of one thing
const listSubjects = () => {
  const kinds = [...new Set(subjects.map((s) => s.kind))]
  $("states").hidden = subjects.length === 0
  $("subject").replaceChildren(
    ...kinds.map((kind) =>
      el(
        "optgroup",
        { label: kind },
        ...subjects
          .filter((s) => s.kind === kind)
          .map((s) => el("option", { value: s.id, textContent: s.label + " (" + s.id + ")" }))
      )
    )
  )
}
const chosenSubject = () => subjects.find((s) => s.id === $("subject").value)
/**
 * The number of the last change up to the chosen entry, or up to the end when no entry is chosen. -1: the subject does
 * not exist.
 */
const momentOf = (s) => {
  if (on === null) return s.moments.length - 1
  const later = s.moments.findIndex((m) => m.i > on)
  return later < 0 ? s.moments.length - 1 : later - 1
}
const written = (fact) =>
  fact === undefined ? "–" : typeof fact === "object" ? iso(fact.at) : String(fact) === "" ? "none" : String(fact)
const showState = () => {
  const s = chosenSubject()
  if (!s) return
  const n = momentOf(s),
    now = n < 0 ? {} : s.moments[n].facts,
    was = n < 1 ? {} : s.moments[n - 1].facts
  $("before").disabled = n < 1
  $("after").disabled = n >= s.moments.length - 1
  $("moment").textContent =
    n < 0
      ? "Not there yet: " + s.moments.length + " changes follow"
      : "Change " + (n + 1) + " of " + s.moments.length + ", " + since(entries[s.moments[n].i].t)
  const isNow = n >= 0 && on !== null && s.moments[n].i === on
  $("state").replaceChildren(
    ...[...new Set([...Object.keys(now), ...Object.keys(was)])].flatMap((name) => {
      const isChanged = isNow && written(now[name]) !== written(was[name])
      const value = el("dd", { className: isChanged ? "changed" : "" }, written(now[name]))
      if (isChanged && n > 0) value.append(el("del", { textContent: written(was[name]) }))
      return [el("dt", { textContent: name }), value]
    })
  )
}
const stepState = (way) => {
  const s = chosenSubject()
  if (!s) return
  const next = s.moments[momentOf(s) + way]
  if (next) select(next.i)
}
$("subject").addEventListener("change", showState)
$("before").addEventListener("click", () => stepState(-1))
$("after").addEventListener("click", () => stepState(1))
`
