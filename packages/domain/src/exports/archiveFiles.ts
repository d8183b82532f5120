import { Effect, Schema } from "effect"
import { type AccessLogStore, listAccessLog, type ReadableEntry } from "../access-log/index.js"
import { AccountStore } from "../accounts/AccountStore.js"
import type { AppStore } from "../apps/AppStore.js"
import { type ConnectionStore, type ConnectionView, listConnections, listConsentHistory } from "../connection/index.js"
import * as Fix from "../fixes/Fix.js"
import { FixHistory } from "../fixes/FixHistory.js"
import { PlaceStore } from "../places/PlaceStore.js"
import * as History from "../retention-choice/History.js"
import { getHistoryChoice } from "../retention-choice/chooseHistory.js"
import { HistoryStore } from "../retention-choice/HistoryStore.js"
import * as RecentEvaluations from "../rules/RecentEvaluations.js"
import { RuleStore } from "../rules/RuleStore.js"
import type { PurposeStore } from "../purposes/PurposeStore.js"
import type { Invalid, Page, StoreError } from "../shared/index.js"
import type { DeviceId, UserId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import { deriveStays, listVisits, StayStore } from "../visits/index.js"
import { VisitStore } from "../visits/VisitStore.js"
import type { VisitReports } from "../visits/OsVisit.js"
import * as ArchiveFormat from "./ArchiveFormat.js"
import * as Entries from "./Entries.js"
import { ExportSource } from "./ExportStore.js"

/** A part of a file, with the number of its entries. */
export interface FilePage {
  readonly text: string
  readonly entries: number
}

/** The ports from which a person's archive is read. */
export type ArchivePorts =
  | AccessLogStore
  | AccountStore
  | AppStore
  | ConnectionStore
  | ExportSource
  | FixHistory
  | HistoryStore
  | PlaceStore
  | PurposeStore
  | RuleStore
  | StayStore
  | Vault
  | VisitStore

/**
 * A file of the archive. `pages` begins to read the file and returns an effect. Each run of this effect returns the
 * next part of the file, and undefined at the end.
 */
export interface ArchiveFile {
  readonly name: string
  readonly pages: Effect.Effect<Effect.Effect<FilePage | undefined, Invalid | StoreError | VaultError, ArchivePorts>>
}

const FIXES_A_PAGE = 1_000
const ENTRIES_A_PAGE = 500
/**
 * The maximum number of agreements of one connection in an archive. A person who changes a connection every day reaches
 * this number after 13 years. Without the limit, a program that changes a connection without end could use up the
 * worker's memory.
 */
const AGREEMENTS_MAX = 5_000
/**
 * A history with at most this number of fixes is one GPX file. A longer history has a GPX file for each month (UTC),
 * with all of the month's fixes, because programs that open GPX load the whole file into memory. When there are several
 * devices, a file has several tracks of each device: one for each page of fixes that was read from the store. So the
 * history is read only once.
 */
const FIXES_A_GPX = 50_000

/**
 * Writes a list as the parts of a file. `read` reads the items after a position, `text` formats these items, and
 * `around` is the text before and after the list. `isFirst`: no earlier part has an item. `isLast`: no part follows.
 */
const paged = <A, P, E, R>(
  read: (
    after: P | undefined
  ) => Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly next: P | undefined }, E, R>,
  text: (items: ReadonlyArray<A>, isFirst: boolean, isLast: boolean) => string,
  around: { readonly before: string; readonly after: string } = { before: "", after: "" }
): Effect.Effect<Effect.Effect<FilePage | undefined, E, R>> =>
  Effect.sync(() => {
    let { before } = around
    let after: P | undefined
    let [isFirst, isOver] = [true, false]
    return Effect.gen(function* () {
      if (isOver) return undefined
      const { items, next } = yield* read(after)
      isOver = next === undefined
      const page = { text: before + text(items, isFirst, isOver) + (isOver ? around.after : ""), entries: items.length }
      isFirst &&= items.length === 0
      before = ""
      after = next
      return page
    })
  })

/** Joins the pages of several lists, one list after the other, to one `.json` file that has all these lists. */
const joined = <E, R>(
  parts: ReadonlyArray<Effect.Effect<Effect.Effect<FilePage | undefined, E, R>>>
): Effect.Effect<Effect.Effect<FilePage | undefined, E, R>> =>
  Effect.map(Effect.all(parts), (all) => {
    let index = 0
    const next: Effect.Effect<FilePage | undefined, E, R> = Effect.suspend(() => {
      const part = all[index]
      if (part === undefined) return Effect.succeed(undefined)
      return Effect.flatMap(part, (page) => {
        if (page !== undefined) return Effect.succeed(page)
        index++
        return next
      })
    })
    return next
  })

const lines = <A, I>(schema: Schema.Schema<A, I>) => {
  const encode = Schema.encodeSync(schema)
  return (items: ReadonlyArray<A>): string => items.map((item) => `${JSON.stringify(encode(item))}\n`).join("")
}

const elements = <A, I>(schema: Schema.Schema<A, I>) => {
  const encode = Schema.encodeSync(schema)
  return (items: ReadonlyArray<A>, isFirst: boolean): string =>
    items.map((item, index) => `${isFirst && index === 0 ? "" : ","}\n${JSON.stringify(encode(item))}`).join("")
}

const whole =
  <A, E, R>(read: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  () =>
    Effect.map(read, (items) => ({ items, next: undefined }))

/** A `.json` file of the archive that contains one list. */
const list = <A, I, P, E, R>(
  name: string,
  schema: Schema.Schema<A, I>,
  read: Parameters<typeof paged<A, P, E, R>>[0]
) => ({
  name: `${name}.json`,
  pages: paged(read, elements(schema), { before: `{"${name}":[`, after: "\n]}\n" })
})

/**
 * The files of a person's archive in their order, and an estimate of the number of entries: each fix is in two files,
 * and all other entries together are few. The data of each file is read when the file is written. So a change that is
 * made meanwhile may be in one file and not in another.
 */
export const archiveFiles = (userId: UserId, madeAt: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const { fixes, oldestAt } = yield* (yield* HistoryStore).survey(userId, { after: null, until: null })
    const span = { from: Timestamp.make(Fix.EARLIEST), until: Timestamp.plus(madeAt, Fix.MAX_AHEAD + 1) }
    const gpx =
      fixes <= FIXES_A_GPX || oldestAt === null
        ? [gpxFile("fixes.gpx", userId, span)]
        : Entries.months(oldestAt, span.until).map(({ from, month, until }) =>
            gpxFile(`fixes-${month}.gpx`, userId, { from, until })
          )
    const files: ReadonlyArray<ArchiveFile> = [
      { name: "account.json", pages: paged(whole(account(userId)), (items) => items.map(asJson).join("")) },
      list("places", ArchiveFormat.PlaceEntry, whole(places(userId))),
      list("devices", ArchiveFormat.DeviceEntry, whole(devices(userId))),
      {
        name: "fixes.jsonl",
        pages: paged(fixLines(userId, span), lines(ArchiveFormat.FixLine))
      },
      ...gpx,
      { name: "visits.json", pages: visitPages(userId) },
      list("connections", ArchiveFormat.ConnectionEntry, connections(userId)),
      list("receipts", ArchiveFormat.ReceiptEntry, whole(receipts(userId))),
      list("rules", ArchiveFormat.RuleEntry, whole(rules(userId))),
      {
        name: "access-log.jsonl",
        pages: paged(readLog(userId), (items) => lines(ArchiveFormat.AccessLine)(items.map(Entries.access)))
      },
      {
        name: "firings.jsonl",
        pages: paged(readLog(userId, Entries.isFiring), (items) =>
          lines(ArchiveFormat.FiringLine)(items.map(Entries.firing))
        )
      }
    ]
    return { files, total: 2 * fixes }
  })

const asJson = (account: typeof ArchiveFormat.Account.Type): string =>
  `${JSON.stringify(Schema.encodeSync(ArchiveFormat.Account)(account), null, 2)}\n`

const account = (userId: UserId) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const found = yield* accounts.find(userId)
    const { keep } = yield* getHistoryChoice(userId)
    const erasures = yield* (yield* HistoryStore).erasures(userId)
    return found._tag === "None" ? [] : [Entries.account(found.value, keep, yield* accounts.notices(userId), erasures)]
  })

const places = (userId: UserId) =>
  Effect.gen(function* () {
    const store = yield* PlaceStore
    return Entries.places(yield* store.list(userId), yield* store.shapes(userId))
  })

const devices = (userId: UserId) =>
  Effect.gen(function* () {
    return (yield* (yield* ExportSource).devices(userId)).map(Entries.device)
  })

const readFixes =
  (userId: UserId, span: { readonly from: Timestamp.Timestamp; readonly until: Timestamp.Timestamp }) =>
  (after: Page.PagePosition | undefined) =>
    Effect.gen(function* () {
      return yield* (yield* FixHistory).range(userId, yield* Timestamp.now, span, FIXES_A_PAGE, after)
    })

/** Reads a page of fixes, and returns them as lines of `fixes.jsonl`. */
const fixLines = (userId: UserId, span: Parameters<typeof readFixes>[1]) => (after: Page.PagePosition | undefined) =>
  Effect.gen(function* () {
    const page = yield* readFixes(userId, span)(after)
    const isShared = page.items.some((one) => one.alsoFrom !== undefined)
    const listed = isShared ? yield* (yield* ExportSource).devices(userId) : []
    const devices = new Set(listed.map(({ id }) => id))
    return { ...page, items: page.items.map((one) => Entries.fix(one, devices)) }
  })

const gpxFile = (
  name: string,
  userId: UserId,
  span: { readonly from: Timestamp.Timestamp; readonly until: Timestamp.Timestamp }
) => ({
  name,
  pages: Effect.suspend(() => {
    const write = Entries.trackWriter()
    const around = { before: Entries.GPX_BEGIN, after: Entries.GPX_END }
    return paged(readFixes(userId, span), (items, _, isLast) => write(items, isLast), around)
  })
})

/**
 * The maximum number of steps in which stays are derived for one archive. The longest history that fits into an
 * archive, thirty million fixes, needs fewer steps. Without this limit, an archive would never be finished while a
 * phone uploads without end.
 */
const MOST_STEPS = 50_000

/**
 * Derives the stays that are due, before the visits are written. Otherwise the archive would lack visits: `listVisits`
 * derives only a part of the due stays, and leaves out visits that are not final. Each step returns a page without
 * text, because `makeArchive` renews its lease only between pages.
 */
const deriveDue = (userId: UserId) =>
  Effect.sync(() => {
    let devices: ReadonlyArray<DeviceId> | undefined
    let steps = 0
    return Effect.gen(function* () {
      devices ??= yield* (yield* StayStore).due(userId)
      const [device, ...others] = devices
      if (device === undefined || steps++ === MOST_STEPS) return undefined
      const made = yield* deriveStays(userId, device, { stepsMax: 1, fixesAStep: FIXES_A_PAGE })
      if (made === 0) devices = others
      return { text: "", entries: 0 }
    })
  })

/**
 * Writes the two lists of `visits.json`. `visits` has the visits that an app could read if the person shared every
 * place with all of its earlier visits. `reported` has the visits that phones reported or imported files contained.
 */
const visitPages = (userId: UserId) =>
  joined([
    deriveDue(userId),
    paged(
      (cursor: string | undefined) =>
        Effect.gen(function* () {
          const shared = (yield* (yield* PlaceStore).list(userId)).map(({ id, createdAt }) => ({
            placeId: id,
            sharedAt: createdAt,
            includeEarlierVisits: true
          }))
          const asker = { userId, id: Entries.ASKER, places: shared, pause: null }
          const query = { from: null, to: null, limit: ENTRIES_A_PAGE, cursor }
          const { nextCursor, visits } = yield* listVisits(asker, yield* Timestamp.now, query)
          return { items: visits.map(Entries.visit), next: nextCursor ?? undefined }
        }),
      elements(ArchiveFormat.VisitEntry),
      { before: '{"visits":[', after: "\n]," }
    ),
    paged(
      (after: VisitReports | undefined) =>
        Effect.gen(function* () {
          const { cutoff } = yield* getHistoryChoice(userId)
          const erasures = yield* (yield* HistoryStore).erasures(userId)
          const reported = yield* (yield* VisitStore).reports({
            userId,
            span: { from: null, to: null },
            after,
            limit: ENTRIES_A_PAGE
          })
          return {
            items: reported.flatMap((one) => Entries.reports(one, cutoff, erasures)),
            next: reported.length < ENTRIES_A_PAGE ? undefined : reported.at(-1)
          }
        }),
      elements(ArchiveFormat.ReportEntry),
      { before: '"reported":[', after: "\n]}\n" }
    )
  ])

/** Each call returns one connection with its agreements, because one connection may have thousands of them. */
const connections = (userId: UserId) => (left: ReadonlyArray<ConnectionView.UserConnection> | undefined) =>
  Effect.gen(function* () {
    const all = left ?? (yield* listConnections(userId))
    // `listConsentHistory` fails with `NotFound` when the account was deleted after its connections were listed.
    const items = yield* Effect.forEach(all.slice(0, 1), (one) =>
      listConsentHistory(userId, one.id, AGREEMENTS_MAX).pipe(
        Effect.catchTag("NotFound", () => Effect.succeed([])),
        Effect.map((agreements) => Entries.connection(one, agreements))
      )
    )
    return { items, next: all.length > 1 ? all.slice(1) : undefined }
  })

const receipts = (userId: UserId) =>
  Effect.gen(function* () {
    return (yield* (yield* ExportSource).letters(userId)).filter(Entries.isReceipt).map(Entries.receipt)
  })

const rules = (userId: UserId) =>
  Effect.gen(function* () {
    const store = yield* RuleStore
    const { cutoff } = yield* getHistoryChoice(userId)
    const all: Array<typeof ArchiveFormat.RuleEntry.Type> = []
    for (const { id } of yield* listConnections(userId)) {
      let after: Page.PagePosition | undefined
      do {
        const page: Page.Page<Parameters<typeof Entries.rule>[0]> = yield* store.list(
          userId,
          id,
          "all",
          ENTRIES_A_PAGE,
          after
        )
        const made = yield* store.evaluations(
          userId,
          id,
          page.items.map((rule) => rule.id)
        )
        for (const rule of page.items) {
          const recent = made.get(rule.id)?.recent ?? RecentEvaluations.none
          all.push(
            Entries.rule(
              rule,
              recent.filter(({ capturedAt }) => !History.isPast(capturedAt, cutoff))
            )
          )
        }
        after = page.next
      } while (after !== undefined)
    }
    return all
  })

const readLog =
  (userId: UserId, isWanted: (entry: ReadableEntry) => boolean = () => true) =>
  (cursor: string | undefined) =>
    Effect.map(listAccessLog(userId, {}, ENTRIES_A_PAGE, cursor), ({ entries, nextCursor }) => ({
      items: entries.filter(isWanted),
      next: nextCursor ?? undefined
    }))
