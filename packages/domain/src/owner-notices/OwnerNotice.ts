// Decides which of the notices that a person chose are due now. Decisions owner-notices-1 and owner-notices-2.
import { DateTime } from "effect"
import type { NoticeKind } from "../accounts/NoticeKind.js"
import * as LocalDays from "../fixes/LocalDays.js"
import type { Link, MailMessage } from "../mail/Mail.js"
import { chosen } from "../mail/NamedMail.js"
import { type UserId, Words } from "../shared/index.js"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"
import { type AppActivity, type EndingSoon, isSilent, type PhoneState } from "../timeline/Today.js"

/** The data of one person, from which `due` decides which notices to send. */
export interface Facts {
  readonly userId: UserId
  readonly zone: LocalDays.TimeZone
  /** How many requests each app sent on each of `Today.days`. The last day is today. */
  readonly activity: ReadonlyArray<AppActivity>
  /** The state of the person's phone (`Today.phone`); null when the person has no phone. */
  readonly phone: PhoneState | null
  /** The connections and permissions that end within a week (`Today.ending`). */
  readonly ending: ReadonlyArray<EndingSoon>
  /** The number of live connections. */
  readonly connections: number
}

/** An app with fewer requests today than this number does not count as asking unusually often. */
export const OFTEN_FROM = 50
/**
 * An app asks unusually often when it has sent more requests today than this number times the requests of its busiest
 * day among the 13 days before today.
 */
export const OFTEN_TIMES = 3
/**
 * How long after the phone last sent something a notice about a silent phone is still written, in milliseconds: the
 * owner of a phone that is silent for longer probably put it away on purpose.
 */
export const SILENT_UNTIL = 7 * DAY
/** The time after local midnight, in milliseconds, from which the weekly summary is sent on Mondays. */
export const WEEKLY_FROM = 7 * HOUR

/**
 * The messages that are due. Every sweep computes all due messages again. So a message that the limit of mails forbids
 * in this hour (decision mail-2) is written in a later hour. The outbox stores only the first message with each
 * `dedupeKey`. So a person gets at most one notice of each kind in a day; of the kind `asked_often`, at most one for
 * each app.
 */
export const due = (kinds: ReadonlyArray<NoticeKind>, facts: Facts, now: Timestamp): ReadonlyArray<MailMessage> =>
  kinds.flatMap((kind) => DECIDE[kind](facts, now))

type Decide = (facts: Facts, now: Timestamp) => ReadonlyArray<MailMessage>

/**
 * Whether the app sent unusually many requests today. `requests` has the numbers of the last days; the last item is
 * today's.
 */
const isOften = ({ requests }: AppActivity): boolean => {
  const today = requests.at(-1) ?? 0
  return today >= OFTEN_FROM && today > OFTEN_TIMES * Math.max(0, ...requests.slice(0, -1))
}

// Each app has its own message. With one message a day for all apps, nobody would notice an app that begins to ask
// often later in the day: its message would have the `dedupeKey` of the message that was already sent.
const askedOften: Decide = (facts, now) =>
  facts.activity.filter(isOften).map(({ appId, name, requests }) => {
    const before = Math.max(0, ...requests.slice(0, -1))
    return message(facts, `asked_often ${LocalDays.dateOf(facts.zone, now)} ${appId}`, {
      subject: `${Words.oneLine(name)} asked unusually often today`,
      lines: [
        `- ${Words.oneLine(name)}: ${Words.count(requests.at(-1) ?? 0, "request")} today, at most ${before} a day in the two weeks before`,
        "If you do not know why, you can pause or disconnect the app."
      ],
      link: { site: "portal", path: "/access-log", label: "Your access log" },
      named: true
    })
  })

const phoneSilent: Decide = (facts, now) => {
  const { phone } = facts
  if (phone?.lastSeenAt == null || !isSilent(phone) || now - phone.lastSeenAt >= SILENT_UNTIL) return []
  return [
    message(facts, `phone_silent ${phone.lastSeenAt}`, {
      subject: "Your phone has sent nothing for a day",
      lines: [
        `The device "${Words.oneLine(phone.device.name)}" sent its last location on ${Words.moment(phone.lastSeenAt)}. Until it sends again, apps get "unknown" and rules stay quiet.`,
        "Often a battery saver has stopped the app on the phone, or its permission for the location was taken away."
      ],
      link: { site: "portal", path: "/devices", label: "Your devices" },
      named: false
    })
  ]
}

/**
 * The notice about connections and permissions that end on the day after tomorrow, in local time. A notice about all
 * ends within the next two days would report each end twice, on two days.
 */
const ends: Decide = (facts, now) => {
  const [, , day] = LocalDays.between(facts.zone, startOfDay(facts.zone, now), plus(now, 4 * DAY))
  const ending = facts.ending.filter(({ at }) => LocalDays.dateOf(facts.zone, at) === day?.date)
  if (ending.length === 0) return []
  return [
    message(facts, `ends ${LocalDays.dateOf(facts.zone, now)}`, {
      subject: "Something ends in two days",
      lines: [
        ending.map(wordsOf).join("\n"),
        "You need not do anything. To let an app go on, extend the date on the page of the connection."
      ],
      link: { site: "portal", path: "/connections", label: "Connected apps" },
      named: true
    })
  ]
}

const wordsOf = ({ at, connection, what }: EndingSoon): string =>
  `- ${Words.oneLine(connection.app.name)}: ${what === "connection" ? "the connection" : "your exact location"} ends on ${Words.moment(at)}`

const weekly: Decide = (facts, now) => {
  const start = startOfDay(facts.zone, now)
  const date = LocalDays.dateOf(facts.zone, now)
  const isMonday = DateTime.toParts(DateTime.setZone(DateTime.unsafeMake(now), facts.zone)).weekDay === 1
  if (!isMonday || now - start < WEEKLY_FROM) return []
  const week = facts.activity.map(({ name, requests }) => ({
    name,
    count: requests.slice(-8, -1).reduce((a, b) => a + b, 0)
  }))
  const busy = week.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
  if (busy.length === 0 && facts.connections === 0) return []
  return [
    message(facts, `weekly ${date}`, {
      subject: "Your week: which apps asked",
      lines: [
        busy.length === 0
          ? "No app asked in the last seven days."
          : `In the last seven days:\n${busy.map(({ count, name }) => `- ${Words.oneLine(name)}: ${Words.count(count, "request")}`).join("\n")}`,
        `${Words.count(facts.connections, "app")} can ask about you now.`,
        ...(facts.ending.length === 0 ? [] : [`This week:\n${facts.ending.map(wordsOf).join("\n")}`])
      ],
      link: { site: "portal", path: "/access-log", label: "Your access log" },
      named: busy.length > 0 || facts.ending.length > 0
    })
  ]
}

const DECIDE: Readonly<Record<NoticeKind, Decide>> = {
  asked_often: askedOften,
  phone_silent: phoneSilent,
  ends,
  weekly
}

const startOfDay = (zone: LocalDays.TimeZone, now: Timestamp): Timestamp => {
  const days = LocalDays.between(zone, plus(now, -2 * DAY), plus(now, 1))
  return days.at(-1)?.from ?? now
}

interface Letter {
  readonly subject: string
  readonly lines: ReadonlyArray<string>
  readonly link: Link
  /**
   * Whether the message contains an app's name. The number of mails with an app's name is limited (decision mail-2).
   */
  readonly named: boolean
}

const message = ({ userId }: Facts, key: string, { lines, link, named, subject }: Letter): MailMessage => ({
  to: userId,
  dedupeKey: `owner_notice ${key}`,
  subject,
  body: [...lines, "You chose this mail in the settings. There you can switch it off."].join("\n\n"),
  link,
  furtherLinks: [{ site: "portal", path: "/settings/notices", label: "Which mails you get" }],
  ...(named ? { naming: chosen } : {})
})
