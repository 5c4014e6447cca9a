// Pays the service with the client library as its documentation says: a method of our own name, a pretended token.
import assert from 'node:assert/strict'
import { Challenge, Credential, Method, Receipt, z } from 'mppx'
import { Mppx } from 'mppx/client'

const url = process.argv[2]
const sandbox = Method.from({
  name: 'sandbox',
  intent: 'charge',
  schema: {
    credential: { payload: z.object({ token: z.string() }) },
    request: z.object({ amount: z.string(), currency: z.string(), recipient: z.string() }),
  },
})
const paying = (token) => Mppx.create({
  polyfill: false,
  methods: [Method.toClient(sandbox, {
    async createCredential({ challenge }) {
      assert.equal(challenge.request.amount, '31400')
      return Credential.serialize({ challenge, payload: { token } })
    },
  })],
})
const ask = (client, name) => client.fetch(url, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ entity_name: name, state: 'DE' }),
})

const found = await ask(paying('sandbox_paid'), 'Blue Heron Logistics LLC')
assert.equal(found.status, 200, await found.clone().text())
const receipt = Receipt.fromResponse(found)
assert.deepEqual([receipt.status, receipt.method], ['success', 'sandbox'])
const body = await found.json()
assert.equal(body.data.entityName, 'BLUE HERON LOGISTICS LLC')
console.log(`  200 ${body.data.entityName}, cost ${body.cost}, receipt ${receipt.reference}`)

const nobody = await ask(paying('sandbox_paid'), 'Nobody Knows This')
assert.equal(nobody.status, 404)
assert.equal(nobody.headers.get('payment-receipt'), null)
console.log('  404 not found, no receipt')

const declined = await ask(paying('sandbox_declined'), 'Blue Heron Logistics LLC')
assert.equal(declined.status, 402)
assert.equal((await declined.clone().json()).type, 'https://paymentauth.org/problems/verification-failed')
console.log('  402 declined, understood')

const unknown = await ask(paying('sandbox_unknown'), 'Blue Heron Logistics LLC')
assert.equal(unknown.status, 503)
assert.ok(Number(unknown.headers.get('retry-after')) > 0)
assert.equal(unknown.headers.get('www-authenticate'), null)
console.log('  503 outcome unknown, nothing asked for again')
