// The page of an app. It makes PKCE's secrets itself, and keeps and refreshes its tokens: all its tabs share them, and
// a Web Lock lets one tab refresh. The client secret is not here: server.mjs adds it on the way.
import { browserTokenStore, createClient, isPlaceAccessError } from "@place-access/adapters-http/client"

const { authorizeUrl, clientId } = await (await fetch("/config.json")).json()
const client = createClient({
  baseUrl: `${location.origin}/place-access`,
  authorizeUrl,
  clientId,
  store: browserTokenStore()
})
const redirectUri = `${location.origin}/`
const say = (text) => (document.querySelector("#state").textContent = text)

const attempt = (work) => async () => {
  try {
    await work()
  } catch (error) {
    if (!isPlaceAccessError(error)) throw error
    say(error.code === "not_connected" || error.code === "invalid_grant" ? "Not connected." : `Failed: ${error.code}`)
  }
}

const on = (id, work) => document.querySelector(id).addEventListener("click", attempt(work))

on("#connect", async () => {
  const { pending, url } = await client.authorization.start({ redirectUri, scopes: ["location.place.current"] })
  // Kept for this tab alone, because another tab may begin a sign-in of its own.
  sessionStorage.setItem("pending", JSON.stringify(pending))
  location.assign(url)
})

on("#where", async () => {
  const { place, state } = await client.answers.currentPlace()
  say(state === "at_place" ? `You are at ${place.label}.` : `You are: ${state}.`)
})

on("#disconnect", async () => {
  await client.session.disconnect()
  say("Not connected.")
})

await attempt(async () => {
  const pending = JSON.parse(sessionStorage.getItem("pending"))
  if (pending !== null && new URLSearchParams(location.search).has("state")) {
    sessionStorage.removeItem("pending")
    const callback = location.href
    // The code leaves the address and the history before anything else happens.
    history.replaceState(null, "", "/")
    await client.authorization.complete(callback, pending)
  }
  if ((await client.session.connectedAs()) !== null) say("Connected.")
})()
