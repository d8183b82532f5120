import { textsIn } from "@place-access/adapters-http/languages/index"
import { filesScript } from "@place-access/adapters-http/pages/kit/scripts/filesScript"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"

const LIST = "/portal/imports"

/** Lets all pending work run, except for work that waits for an upload. */
const settle = () => new Promise(setImmediate)

const asFile = (name: string, read?: Promise<void>) => ({
  name,
  isFile: true,
  file: async (done: (file: { readonly name: string }) => void) => {
    await read
    done({ name })
  }
})

const unreadable = (name: string) => ({
  name,
  isFile: true,
  file: (_: unknown, failed: (error: Error) => void) => failed(new Error("it is gone"))
})

/** The page with its form in a simulated browser, and the uploads that the script has begun. */
const opened = () => {
  const element = () => ({
    textContent: "",
    lines: new Array<{ readonly textContent: string }>(),
    setAttribute: () => {},
    append(child: { readonly textContent: string }) {
      this.lines.push(child)
    }
  })
  const made = new Array<ReturnType<typeof element>>()
  const uploads = new Array<{
    readonly name: string
    /** Ends the upload. `to`: the page to which the service has redirected; the list of imports by default. */
    readonly end: (isRedirected: boolean, to?: string) => Promise<unknown>
  }>()
  const left = new Array<string>()
  let drop: ((event: object) => void) | undefined
  runInNewContext(filesScript, {
    document: {
      currentScript: { dataset: { texts: JSON.stringify(textsIn("en").portal.imports.upload.script) } },
      createElement: () => {
        const one = element()
        made.push(one)
        return one
      },
      getElementById: () => ({
        dataset: { list: LIST },
        action: LIST,
        elements: { form_token: { value: "token" } },
        querySelector: () => ({ before: () => {} }),
        after: () => {},
        addEventListener: (type: string, listen: typeof drop) => {
          if (type === "drop") drop = listen
        }
      })
    },
    location: { pathname: `${LIST}/new`, assign: (path: string) => left.push(path) },
    FormData: class {
      name = ""
      append(_: string, __: unknown, name = "") {
        this.name = name
      }
    },
    DOMParser: class {
      parseFromString() {
        return { getElementById: () => null }
      }
    },
    URL,
    fetch: (_: string, { body }: { readonly body: { readonly name: string } }) =>
      new Promise((resolve) => {
        const answer = { status: 200, text: async () => "" }
        const end = (redirected: boolean, to = LIST) => {
          resolve({ ...answer, url: `http://here${to}`, redirected })
          return settle()
        }
        uploads.push({ name: body.name, end })
      })
  })
  const [, status, refused] = made
  return {
    left,
    uploads,
    names: () => uploads.map(({ name }) => name),
    said: () => status?.textContent ?? "",
    refused: () => refused?.lines.map(({ textContent }) => textContent) ?? [],
    drop: async (...entries: ReadonlyArray<object>) => {
      const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }))
      drop?.({ preventDefault: () => {}, dataTransfer: { items } })
      await settle()
    }
  }
}

describe("files that are dropped while others are uploaded [imports-3]", () => {
  it("wait for their turn, and the page leaves when all are stored", async () => {
    const page = opened()
    await page.drop(asFile("a"), asFile("b"))
    await page.drop(asFile("c"))
    expect(page.names()).toEqual(["a"])
    await page.uploads[0]?.end(true)
    await page.uploads[1]?.end(true)
    expect([page.names(), page.left]).toEqual([["a", "b", "c"], []])
    expect(page.said()).toContain("2 of 3")
    await page.uploads[2]?.end(true)
    expect(page.left).toEqual([LIST])
  })

  it.each([
    [`${LIST}/new`, false],
    ["/sign-in", false],
    [`${LIST}/imp_1/columns`, true]
  ])("a redirect to %s: the file is stored: %s", async (to, isStored) => {
    const page = opened()
    await page.drop(asFile("a"))
    await page.uploads[0]?.end(true, to)
    expect([page.left.length, page.refused().length]).toEqual(isStored ? [1, 0] : [0, 1])
  })

  it("keep the page also while the browser still reads their folder", async () => {
    const page = opened()
    let go = () => {}
    await page.drop(asFile("a"))
    await page.drop(asFile("b", new Promise<void>((resolve) => (go = resolve))))
    await page.uploads[0]?.end(true)
    expect(page.left).toEqual([])
    go()
    await settle()
    await page.uploads[1]?.end(true)
    expect([page.names(), page.left]).toEqual([["a", "b"], [LIST]])
  })

  it("keep the page when one of all of them was refused, and it is named", async () => {
    const page = opened()
    await page.drop(asFile("a"))
    await page.drop(asFile("b"))
    await page.uploads[0]?.end(false)
    await page.uploads[1]?.end(true)
    expect(page.left).toEqual([])
    expect(page.refused()).toEqual([expect.stringContaining("a: ")])
    expect(page.said()).toContain("1 of 2")
  })

  it("keep the reason after the name of a refused file that is written from right to left [languages-5]", async () => {
    const page = opened()
    await page.drop(asFile("ملف 81"))
    await page.uploads[0]?.end(false)
    expect(page.refused()).toEqual([expect.stringContaining("\u2068ملف 81\u2069: ")])
  })

  it("are uploaded also when the browser could not read one of them, and it is named", async () => {
    const page = opened()
    await page.drop(unreadable("a"), asFile("b"))
    await page.uploads[0]?.end(true)
    expect([page.names(), page.left]).toEqual([["b"], []])
    expect(page.refused()).toEqual([expect.stringContaining("a: ")])
  })

  it("begin a new count after the files of earlier drops have ended", async () => {
    const page = opened()
    await page.drop(asFile("a"))
    await page.uploads[0]?.end(false)
    await page.drop(asFile("b"))
    await page.uploads[1]?.end(true)
    expect(page.left).toEqual([LIST])
  })
})
