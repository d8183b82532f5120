/**
 * The script of the page that uploads files: plain JavaScript for browsers. The script takes files and folders that are
 * dropped on the form, and uploads them one after the other. While too many uploaded files wait to be read, the script
 * waits too. Without the script, the form sends the files that the person chose. The script's own texts come from
 * `data-texts` of its element.
 */
export const filesScript = `"use strict"
;(() => {
  const texts = JSON.parse(document.currentScript.dataset.texts)
  const form = document.getElementById("upload")
  const fill = (text, values) => text.replace(/\\{(\\w+)\\}/g, (_, name) => String(values[name]))
  const WAIT_MS = 5000

  const hint = document.createElement("p")
  hint.className = "soft"
  hint.textContent = texts.drop
  form.querySelector("button").before(hint)
  const status = document.createElement("p")
  status.setAttribute("role", "status")
  const refused = document.createElement("ul")
  form.after(status, refused)

  /** The files of a dropped entry, with the files in its folders. */
  const filesOf = async (entry) => {
    if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))]
    const reader = entry.createReader()
    const files = []
    for (;;) {
      // In some browsers, one call of readEntries returns at most a hundred entries. So the function is called until
      // it returns none.
      const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
      if (entries.length === 0) return files
      for (const one of entries) files.push(...(await filesOf(one)))
    }
  }

  /**
   * Whether the service has stored the file. After a stored file, the service redirects to the list of imports or to a
   * page below the list, but not to this page. A redirect to any other page means that the file was not stored: for
   * example, the session has ended, and the redirect leads to the sign-in page.
   */
  const isStored = ({ redirected, url }) => {
    const { pathname } = new URL(url)
    if (!redirected || pathname === location.pathname) return false
    return pathname === form.dataset.list || pathname.startsWith(form.dataset.list + "/")
  }

  const linkToList = () => {
    const link = document.createElement("a")
    link.href = form.dataset.list
    link.textContent = texts.list
    return link
  }

  /**
   * Uploads a file. Returns the reason when the service refused the file, and undefined when it has stored the file.
   * While too many files wait to be read, the function tries again every five seconds.
   */
  const send = async (file) => {
    for (;;) {
      const body = new FormData()
      body.append("form_token", form.elements.form_token.value)
      body.append("file", file, file.name)
      const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin" })
      if (isStored(answer)) return undefined
      if (answer.status === 409) {
        status.textContent = texts.waits + " "
        const link = linkToList()
        link.target = "_blank"
        status.append(link)
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
        continue
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html")
      const fault = page.getElementById("file-fault")
      return fault === null ? texts.failed : fault.textContent.trim()
    }
  }

  // A name that is written from right to left would move the colon after it, so the script isolates the name (decision
  // languages-5).
  const isolated = (name) =>
    /[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]/.test(name) ? "\\u2068" + name + "\\u2069" : name

  const refuse = (name, reason) => {
    const line = document.createElement("li")
    line.textContent = isolated(name) + ": " + reason
    refused.append(line)
  }

  // All drops share one queue. The page changes to the list only when every drop has ended and all files are stored: a
  // change after the first drop would abort the uploads of the next drop. A drop is open until the upload of its last
  // file ends.
  let open = 0
  let done = 0
  let all = 0
  let queue = Promise.resolve()

  const sendAll = async (files) => {
    for (const file of files) {
      status.textContent = fill(texts.going, { done, all })
      const reason = await send(file).catch(() => texts.failed)
      if (reason === undefined) done++
      else refuse(file.name, reason)
    }
  }

  /** The files of the dropped entries. An entry that the browser cannot read counts as a file that was refused. */
  const readAll = async (entries) => {
    const files = []
    for (const entry of entries) {
      try {
        files.push(...(await filesOf(entry)))
      } catch {
        all++
        refuse(entry.name, texts.failed)
      }
    }
    all += files.length
    return files
  }

  const add = async (entries) => {
    if (open === 0) done = all = 0
    open++
    const files = await readAll(entries)
    queue = queue.then(() => sendAll(files))
    await queue
    open--
    if (open > 0 || all === 0) return
    if (done === all) return location.assign(form.dataset.list)
    status.textContent = fill(texts.ended, { done, all }) + " "
    status.append(linkToList())
  }

  form.addEventListener("dragover", (event) => event.preventDefault())
  form.addEventListener("drop", (event) => {
    event.preventDefault()
    // The browser empties the list of dropped items after the event, so the entries are read during the event.
    add([...event.dataTransfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []))
  })
})()
`
