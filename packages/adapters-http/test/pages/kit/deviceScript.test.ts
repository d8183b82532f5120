import { textsIn } from "@place-access/adapters-http/languages/index"
import { deviceScript } from "@place-access/adapters-http/pages/kit/scripts/deviceScript"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"

interface Answer {
  readonly status: number
  /** The service redirects to the page for sign-in. With `redirect: "manual"`, fetch shows only that it redirects. */
  readonly type?: "opaqueredirect"
  readonly retryAfter?: string
  /** The box on the device's page that says whether locations have arrived: its state and its text. */
  readonly box?: readonly [state: string, text: string]
}

interface Link {
  href: string
  textContent: string
}

/**
 * The set-up page in a simulated browser. `wait` ends the next timer; the script then gets the next of `answers` from
 * the service.
 */
const opened = (answers: ReadonlyArray<Answer>, text = "Nothing has arrived yet") => {
  const left = [...answers]
  const timers = new Array<{ readonly ms: number; readonly run: () => Promise<void> }>()
  const box = {
    textContent: text,
    className: "",
    dataset: { state: "nothing_sent", page: "/portal/devices/dev_1" },
    drawn: 0,
    replaceChildren(...children: ReadonlyArray<string | Link>) {
      box.textContent = children.map((child) => (typeof child === "string" ? child : child.textContent)).join("")
      box.links = children.flatMap((child) => (typeof child === "string" ? [] : [child.href]))
      box.drawn++
    },
    links: new Array<string>()
  }
  let next: Answer | undefined
  runInNewContext(deviceScript, {
    document: {
      currentScript: { dataset: { texts: JSON.stringify(textsIn("en").setUp.copyScript) } },
      querySelectorAll: () => [],
      getElementById: () => box,
      createElement: (): Link => ({ href: "", textContent: "" }),
      hidden: false
    },
    navigator: {},
    fetch: async (_: string, { redirect }: { readonly redirect: string }) => {
      next = left.shift()
      if (next === undefined) throw new TypeError("the network is away")
      const { retryAfter, status, type = "basic" } = next
      if (type === "opaqueredirect" && redirect === "error") throw new TypeError("unexpected redirect")
      return { ok: status === 200, status, type, headers: { get: () => retryAfter ?? null }, text: async () => "" }
    },
    DOMParser: class {
      parseFromString() {
        const [state, text] = next?.box ?? []
        return {
          getElementById: () => ({ dataset: { state }, className: state, textContent: text, childNodes: [text] })
        }
      }
    },
    setTimeout: (run: () => Promise<void>, ms: number) => timers.push({ run, ms })
  })
  return {
    box,
    pauses: () => timers.map(({ ms }) => ms),
    wait: () => timers.shift()?.run()
  }
}

describe("the set-up page of a phone [devices-13]", () => {
  it.each([403, 408, 429, 500, 502, 503])("goes on watching after an answer of %i", async (status) => {
    const page = opened([{ status }, { status: 200, box: ["sending", "Received"] }])
    await page.wait()
    expect(page.pauses()).toEqual([3_000])
    await page.wait()
    expect([page.box.textContent, page.pauses()]).toEqual(["Received", []])
  })

  it.each([
    ["60", 60_000],
    ["1", 3_000],
    ["soon", 3_000],
    ["99999999", 300_000]
  ])("waits as long as Retry-After says, within its bounds: %s", async (retryAfter, pause) => {
    const page = opened([{ status: 429, retryAfter }])
    await page.wait()
    expect(page.pauses()).toEqual([pause])
  })

  it("stops when the session has ended, and shows a link to sign in, after which the device's page is shown", async () => {
    const page = opened([{ status: 0, type: "opaqueredirect" }])
    await page.wait()
    expect(page.pauses()).toEqual([])
    expect(page.box.textContent).toBe("You are signed out, so this page does not look for locations. Sign in")
    expect([page.box.links, page.box.className]).toEqual([["/portal/devices/dev_1"], "arrival note warn"])
  })

  it("stops when the device is gone, and says so", async () => {
    const page = opened([{ status: 404 }])
    await page.wait()
    expect(page.pauses()).toEqual([])
    expect(page.box.textContent).toBe(textsIn("en").setUp.copyScript.gone)
    expect([page.box.links, page.box.className]).toEqual([[], "arrival note warn"])
  })

  it("shows another reason why readings were put aside, and does not announce the same one twice", async () => {
    const page = opened([
      { status: 200, box: ["put_aside", "The clock of the phone is wrong"] },
      { status: 200, box: ["put_aside", "The clock of the phone is wrong"] },
      { status: 200, box: ["put_aside", "The position is impossible"] }
    ])
    await page.wait()
    await page.wait()
    expect([page.box.textContent, page.box.drawn]).toEqual(["The clock of the phone is wrong", 1])
    await page.wait()
    expect([page.box.textContent, page.box.drawn]).toEqual(["The position is impossible", 2])
  })
})
