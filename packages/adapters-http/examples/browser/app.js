// The script of an app's page. The page makes the secrets of PKCE, stores its tokens in the browser and refreshes them.
// All tabs of the page share the tokens, and a Web Lock lets only one tab refresh at a time. The page does not know the
// client secret: server.mjs adds the secret to the calls that need it.
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

// After these errors the user has to connect again.
const ENDS = ["not_connected", "invalid_grant", "refresh_uncertain"]

const attempt = (work) => async () => {
  try {
    await work()
  } catch (error) {
    if (!isPlaceAccessError(error)) throw error
    say(ENDS.includes(error.code) ? "Not connected." : `Failed: ${error.code}`)
  }
}

const on = (id, work) => document.querySelector(id).addEventListener("click", attempt(work))

on("#connect", async () => {
  const { pending, url } = await client.authorization.start({ redirectUri, scopes: ["location.place.current"] })
  // `sessionStorage` belongs to this tab, so a sign-in that begins in another tab does not overwrite these values.
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
    // Removes the authorization code from the address bar and from the history, before anything else can read it.
    history.replaceState(null, "", "/")
    await client.authorization.complete(callback, pending)
  }
  if ((await client.session.connectedAs()) !== null) say("Connected.")
})()
