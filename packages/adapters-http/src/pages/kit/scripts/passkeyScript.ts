/**
 * The script that asks the browser for a passkey: plain JavaScript for browsers. A form with `data-passkey` contains
 * the options of the request. The script shows the form, and posts it with the response of the authenticator. Without
 * the script the form stays hidden, and people use a password or codes in place of passkeys. The texts come from
 * `data-texts` of the script's element.
 */
export const passkeyScript = `"use strict"
;(() => {
  const texts = JSON.parse(document.currentScript.dataset.texts)
  const bytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0))
  const text = (buffer) =>
    btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
      .replace(/\\+/g, "-")
      .replace(/\\//g, "_")
      .replace(/=+$/, "")
  const known = (list) => list.map((one) => ({ ...one, id: bytes(one.id) }))

  const create = async (options) => {
    const { id, rawId, response, type } = await navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        user: { ...options.user, id: bytes(options.user.id) },
        excludeCredentials: known(options.excludeCredentials)
      }
    })
    return {
      id,
      rawId: text(rawId),
      type,
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(response.clientDataJSON),
        attestationObject: text(response.attestationObject)
      }
    }
  }

  const get = async (options) => {
    const { id, rawId, response, type } = await navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        allowCredentials: known(options.allowCredentials)
      }
    })
    return {
      id,
      rawId: text(rawId),
      type,
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(response.clientDataJSON),
        authenticatorData: text(response.authenticatorData),
        signature: text(response.signature),
        userHandle: response.userHandle === null ? null : text(response.userHandle)
      }
    }
  }

  const words = (error) => {
    if (error.name === "InvalidStateError") return texts.known
    if (error.name === "SecurityError") return texts.address
    return texts.none
  }

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (typeof PublicKeyCredential === "undefined") continue
    const said = form.querySelector("[data-said]")
    form.hidden = false
    for (const other of document.querySelectorAll("[data-without-passkeys]")) other.hidden = true
    form.addEventListener("submit", async (event) => {
      const field = form.elements.namedItem("passkey")
      if (field.value !== "") return
      event.preventDefault()
      said.textContent = texts.asking
      try {
        const options = JSON.parse(form.dataset.options)
        const answer = await (form.dataset.passkey === "create" ? create(options) : get(options))
        field.value = JSON.stringify(answer)
        form.submit()
      } catch (error) {
        said.textContent = words(error)
      }
    })
  }
})()
`
