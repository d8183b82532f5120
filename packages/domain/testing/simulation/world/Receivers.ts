import type { WebhookAnswer } from "../../../src/endpoints/WebhookSender.js"
import { type Duration, Effect, FiberRef } from "effect"
import { ANSWER_DEADLINE } from "../../../src/deliveries/Delivery.js"
import * as Signature from "../../../src/deliveries/Signature.js"
import type { WebhookSender } from "../../../src/endpoints/WebhookSender.js"
import { sign } from "../../memory/deliveries/MemoryWebhookSender.js"
import * as Process from "../engine/Process.js"
import type { Faults } from "../ports/Faults.js"
import type { Recorder } from "../trace/Recorder.js"
import type { Secrets } from "../trace/Secrets.js"
import type { Posted } from "../Trace.js"

/** The behaviour of a receiver: a status, which it may send after a delay, or a failure. */
export type Reply =
  | number
  | {
      readonly status: number
      /**
       * The target of a redirect. If the service followed the redirect, the trace would show a POST to this address.
       */
      readonly location?: string | undefined
      readonly delayMillis?: number | undefined
    }
  /** Refuses the connection, as when no server listens at the address. */
  | "refuse"
  /** Breaks the connection before an answer. */
  | "reset"
  /** Accepts the connection and never answers. */
  | "hang"
  /** Answers 200, but after the sender's deadline. */
  | "slow"
  /**
   * The receiver sends the status line of a 200 and then breaks the connection. Only the status counts, so the attempt
   * succeeds (decision deliveries-1).
   */
  | "reset_after_2xx"

/**
 * How a receiver replies. A list has one reply for each POST, in order; the last reply repeats for all later POSTs. A
 * function gets the number of earlier POSTs.
 */
export type Script = Reply | ReadonlyArray<Reply> | ((before: number) => Reply)

const WORDS: ReadonlySet<unknown> = new Set(["refuse", "reset", "hang", "slow", "reset_after_2xx"])

const isStatus = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599

const isReply = (reply: unknown): boolean =>
  typeof reply === "object" && reply !== null
    ? "status" in reply && isStatus(reply.status) && !("delayMillis" in reply && !(Number(reply.delayMillis) >= 0))
    : WORDS.has(reply) || isStatus(reply)

/**
 * Throws unless every reply of a list is one that a receiver can give. The replies of a function are not known before
 * the run.
 */
export const demandScript = (script: Script): void => {
  if (typeof script === "function") return
  const replies = isList(script) ? script : [script]
  if (replies.length > 0 && replies.every(isReply)) return
  throw new TypeError(`A receiver must reply with a status from 200 to 599, or with ${[...WORDS].join(", ")}`)
}

const SLOW_MILLIS = ANSWER_DEADLINE + 1_000
const TOO_LATE: WebhookAnswer = { _tag: "Unreachable", detail: "no complete answer within 5 s" }

interface Behaviour {
  readonly reply: Posted["reply"]
  readonly tookMs: number
  readonly answer: WebhookAnswer
}

const answered = (status: number, tookMs: number): Behaviour => ({
  reply: status,
  tookMs,
  answer: { _tag: "Answered", status, snippet: "" }
})

const behaviour = (reply: Reply): Behaviour => {
  if (typeof reply === "number") return answered(reply, 0)
  if (typeof reply === "object") return answered(reply.status, reply.delayMillis ?? 0)
  switch (reply) {
    case "refuse":
      return { reply, tookMs: 0, answer: { _tag: "Unreachable", detail: "connection refused" } }
    case "reset":
      return { reply, tookMs: 0, answer: { _tag: "Unreachable", detail: "connection reset" } }
    case "hang":
      return { reply, tookMs: ANSWER_DEADLINE, answer: TOO_LATE }
    case "slow":
      return { ...answered(200, SLOW_MILLIS), reply }
    case "reset_after_2xx":
      return { ...answered(200, 0), reply }
  }
}

/** All simulated webhook receivers. */
export class Receivers {
  private readonly scripts = new Map<string, Script>()
  private readonly counts = new Map<string, number>()

  private readonly recorder: Recorder
  private readonly secrets: Secrets
  private readonly faults: Faults

  constructor(recorder: Recorder, secrets: Secrets, faults: Faults) {
    this.recorder = recorder
    this.secrets = secrets
    this.faults = faults
  }

  /**
   * Sets how the receiver at `url` replies from now on; a list of replies starts with its first reply. A receiver
   * without a script refuses the connection.
   */
  script(url: string, script: Script): void {
    this.scripts.set(url, script)
    this.counts.set(url, 0)
  }

  /** Makes every receiver that has a script answer 200 from now on. */
  heal(): void {
    for (const url of this.scripts.keys()) this.script(url, 200)
  }

  readonly sender: typeof WebhookSender.Service = {
    post: (url, headers, body) =>
      Effect.gen(this, function* () {
        const process = yield* FiberRef.get(Process.current)
        const { answer, reply, tookMs } = behaviour(this.perhapsLate(this.next(url), process))
        // The trace records the POST when it arrives at the receiver, because the POST has been sent even if the worker
        // dies before the answer.
        this.recorder.add(process, { kind: "posted", url, ...this.readSigned(headers, body), reply, tookMs })
        const wait = Effect.sleep(tookMs as Duration.DurationInput)
        return yield* tookMs === 0
          ? Effect.as(Effect.yieldNow(), answer)
          : Effect.timeoutTo(Effect.as(wait, answer), {
              duration: ANSWER_DEADLINE,
              onSuccess: (answer) => answer,
              onTimeout: () => TOO_LATE
            })
      }),
    sign,
    faultOf: (url) => (url.startsWith("https://") ? undefined : "must begin with https://"),
    checkUrl: (url) =>
      Effect.succeed(
        !url.startsWith("https://")
          ? "must begin with https://"
          : url.includes("private")
            ? "must resolve to public addresses only"
            : undefined
      )
  }

  /**
   * The reply of the receiver. When the fault `receiver.late` strikes, a receiver that would answer 200 immediately
   * answers 200 after the deadline.
   */
  private perhapsLate(reply: Reply, process: Process.Process): Reply {
    if (reply !== 200 || !this.faults.strikes("receiver.late")) return reply
    this.recorder.add(process, { kind: "fault", fault: "receiver.late", detail: "" })
    return "slow"
  }

  private next(url: string): Reply {
    const script = this.scripts.get(url) ?? "refuse"
    const before = this.counts.get(url) ?? 0
    this.counts.set(url, before + 1)
    if (typeof script === "function") return script(before)
    if (isList(script)) return script[Math.min(before, script.length - 1)] ?? "refuse"
    return script
  }

  /**
   * Reads a signed body as a receiver does. Returns the fields of the body, and the aliases of all signing secrets with
   * which a signature of the body is valid.
   */
  readSigned(
    headers: ReadonlyArray<readonly [string, string]>,
    raw: string
  ): Pick<Posted, "body" | "signedAtS" | "signatures" | "verifiedBy"> {
    const header = headers.find(([name]) => name.toLowerCase() === Signature.HEADER.toLowerCase())?.[1] ?? ""
    const parts = header.split(",").map((part) => part.trim().split("="))
    const t = parts.find(([name]) => name === "t")?.[1]
    const signatures = parts.flatMap(([name, value]) => (name === "v1" && value !== undefined ? [value] : []))
    const verifiedBy = this.secrets
      .of("signing-secret")
      .filter(([, secret]) => signatures.includes(sign(secret, `${t ?? ""}.${raw}`)))
      .map(([alias]) => alias)
    return {
      body: parsed(raw),
      signedAtS: t === undefined ? null : Number(t),
      signatures: signatures.length,
      verifiedBy
    }
  }
}

const isList = (script: Script): script is ReadonlyArray<Reply> => Array.isArray(script)

const parsed = (raw: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(raw)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // The text is not JSON, so the only field of the body is `raw`, with the text.
  }
  return { raw }
}
