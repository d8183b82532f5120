import type { Simulation } from "@place-access/domain/testing"
import { messageText } from "./comparison.js"
import { connectionLanes } from "./connections.js"
import { type Bar, type Dot, GROUPS, type Lane, type Placed } from "./Lane.js"
import { appNames, type Deed, deedsOf, dotOf, text } from "./read.js"
import { ruleLanes } from "./rules.js"

type Entry = Simulation.Entry

export const lanesOf = (entries: ReadonlyArray<Placed>): ReadonlyArray<Lane> => {
  const deeds = deedsOf(entries)
  const end = entries.at(-1)?.t ?? 0
  const nameOf = appNames(deeds)
  const connections = connectionLanes(entries, deeds, { end, nameOf })
  const lanes = [
    ...troubleLanes(entries),
    ...programLanes(entries, end),
    ...peopleLanes(deeds),
    ...phoneLanes(deeds),
    ...connections.lanes,
    ...ruleLanes(entries, deeds, { end, nameOf, userOf: connections.userOf }),
    ...appLanes(deeds, nameOf),
    ...deliveryLanes(entries, deeds, nameOf),
    ...listenerLanes(entries, deeds, nameOf),
    ...mailLanes(entries)
  ]
  return GROUPS.flatMap((group) => lanes.filter((lane) => lane.group === group))
}

const grouped = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const name = key(item)
    if (name === "") continue
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [item])
    else group.push(item)
  }
  return groups
}

const troubleLanes = (entries: ReadonlyArray<Entry>): ReadonlyArray<Lane> => {
  const dots = entries.flatMap((entry): ReadonlyArray<Dot> => {
    const { i, t } = entry
    if (entry.kind === "leak") return [{ i, t, look: "bad", text: `${entry.alias} leaked to ${entry.where}` }]
    if (entry.kind !== "fault" || entry.fault === "restart") return []
    const look = entry.fault === "heal" ? "good" : "fault"
    return [{ i, t, look, text: `${entry.fault}${entry.detail === "" ? "" : `: ${entry.detail}`}` }]
  })
  return [{ group: "Trouble", label: "faults", who: [], bars: [], dots }]
}

/** Makes one lane for each program, with a bar from each start to the next crash. */
const programLanes = (entries: ReadonlyArray<Entry>, end: number): ReadonlyArray<Lane> => {
  const names = new Set<string>(["server"])
  for (const { proc } of entries) if (proc !== "world") names.add(proc.replace(/-\d+$/, ""))
  return [...names].sort().map((name) => {
    const dots: Array<Dot> = []
    const bars: Array<Bar> = []
    let up: { readonly t: number; readonly i: number } | undefined = { t: entries[0]?.t ?? 0, i: 0 }
    for (const entry of entries) {
      if (entry.kind !== "fault") continue
      const { detail, fault, i, proc, t } = entry
      // A crash ends this program when the crash names the program, or when it struck at a call that the program made.
      const isDeath = fault === "crash" && (detail === name || proc.replace(/-\d+$/, "") === name)
      if (isDeath && up !== undefined) {
        bars.push({ from: up.t, to: t, look: "up", text: `${name} runs`, i: up.i })
        dots.push({ t, i, look: "bad", text: `${name} dies (${detail})` })
        up = undefined
      }
      if (fault === "restart" && detail === name) {
        dots.push({ t, i, look: "good", text: `${name} is started again` })
        up = { t, i }
      }
    }
    if (up !== undefined) bars.push({ from: up.t, to: end, look: "up", text: `${name} runs`, i: up.i })
    return { group: "Programs", label: name, who: [name], bars, dots }
  })
}

const OF_APPS = new Set(["exchange", "refresh", "revoke", "call"])

const peopleLanes = (deeds: ReadonlyArray<Deed>): ReadonlyArray<Lane> => {
  const own = deeds.filter(({ args, name }) => "userId" in args && name !== "upload" && name !== "createApp")
  const names = namesOf(deeds)
  return [...grouped(own, ({ args }) => text(args["userId"]))].map(([userId, mine]) => {
    const name = names.get(userId) ?? userId
    return { group: "People", label: name, who: [name], bars: [], dots: mine.map(dotOf) }
  })
}

const namesOf = (deeds: ReadonlyArray<Deed>): ReadonlyMap<string, string> =>
  new Map(
    deeds.flatMap(({ actor, name, value }) => (name === "signUp" ? [[text(value["userId"]), actor] as const] : []))
  )

const phoneLanes = (deeds: ReadonlyArray<Deed>): ReadonlyArray<Lane> =>
  [
    ...grouped(
      deeds.filter(({ name }) => name === "upload"),
      ({ args }) => text(args["deviceId"])
    )
  ].map(([deviceId, uploads]) => ({
    group: "Phones",
    label: `${uploads[0]?.actor ?? ""}: ${deviceId}`,
    who: [uploads[0]?.actor ?? ""],
    bars: [],
    dots: uploads.map((upload) => {
      const fixes = upload.args["fixes"] as ReadonlyArray<unknown>
      const visits = upload.args["visits"] as ReadonlyArray<unknown>
      const dot = dotOf(upload)
      return {
        ...dot,
        text: `${dot.text}, ${fixes.length} fixes${visits.length > 0 ? `, ${visits.length} visits` : ""}`
      }
    })
  }))

const appLanes = (deeds: ReadonlyArray<Deed>, nameOf: (appId: string) => string): ReadonlyArray<Lane> => {
  const own = deeds.filter(({ args, name }) => "appId" in args && !OF_APPS.has(name) && name !== "consent")
  return [...grouped(own, ({ args }) => text(args["appId"]))].map(([appId, mine]) => ({
    group: "Apps",
    label: `${nameOf(appId)} (${appId})`,
    who: [nameOf(appId)],
    bars: [],
    dots: mine.map(dotOf)
  }))
}

const STATUS_OK = 300

/** Makes one lane for each address of webhooks, with every POST to this address. */
const deliveryLanes = (
  entries: ReadonlyArray<Entry>,
  deeds: ReadonlyArray<Deed>,
  nameOf: (appId: string) => string
): ReadonlyArray<Lane> => {
  const owners = new Map(
    deeds.flatMap(({ args, name }) =>
      name === "createEndpoint" || name === "editEndpoint" ? [[text(args["url"]), text(args["appId"])] as const] : []
    )
  )
  const posts = entries.filter((entry) => entry.kind === "posted")
  return [...grouped(posts, ({ url }) => url)].map(([url, mine]) => ({
    group: "Deliveries",
    label: url.replace("https://hooks.example/", "").replace(/^app_\w+/, nameOf),
    who: [nameOf(owners.get(url) ?? "")],
    bars: [],
    dots: mine.map(({ body, i, reply, t, tookMs }): Dot => {
      const isGood =
        (typeof reply === "number" && reply >= 200 && reply < STATUS_OK && tookMs <= 5_000) ||
        reply === "reset_after_2xx"
      const isRefused = typeof reply === "number" && (reply < 200 || reply >= STATUS_OK)
      const look = isGood ? "good" : isRefused ? "refused" : "bad"
      return { t, i, look, text: `${text(body["type"])} → ${reply} (${text(body["event_id"])})` }
    })
  }))
}

/** Makes one lane for each listener, with the messages of its stream. */
const listenerLanes = (
  entries: ReadonlyArray<Entry>,
  deeds: ReadonlyArray<Deed>,
  nameOf: (appId: string) => string
): ReadonlyArray<Lane> => {
  const apps = new Map(
    deeds.flatMap(({ args, name, value }) =>
      name === "listen" ? [[text(value["listenerId"]), nameOf(text(args["appId"]))] as const] : []
    )
  )
  const messages = entries.filter((entry) => entry.kind === "heard")
  return [...grouped(messages, ({ listenerId }) => listenerId)].map(([id, mine], index) => ({
    group: "Deliveries",
    label: `listener ${index + 1}`,
    who: [apps.get(id) ?? ""],
    bars: [],
    dots: mine.map(({ i, message, t }): Dot => ({
      t,
      i,
      look: message._tag === "Event" ? "good" : "note",
      text: messageText(message)
    }))
  }))
}

const mailLanes = (entries: ReadonlyArray<Entry>): ReadonlyArray<Lane> =>
  [
    ...grouped(
      entries.filter((entry) => entry.kind === "mailed"),
      ({ to }) => to
    )
  ].map(([to, mails]) => ({
    group: "Mail",
    label: to.replace(/@.*$/, ""),
    who: [to.replace(/@.*$/, "")],
    bars: [],
    dots: mails.map(({ i, subject, t }) => ({ i, t, look: "note", text: subject }))
  }))
