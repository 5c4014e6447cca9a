"""How a customer's server tells that a message is ours, as the page shows it; a test runs them."""

PYTHON = """\
import base64, hashlib, hmac, time

def is_genuine(secret, headers, body):  # body: the bytes as they came
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    genuine = any(hmac.compare_digest(right, one) for one in headers["webhook-signature"].split(" "))
    return genuine and abs(time.time() - int(headers["webhook-timestamp"])) < 300
"""

JAVASCRIPT = """\
import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuine(secret, headers, body) { // body: a Buffer of the bytes as they came
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const hmac = createHmac("sha256", key);
  hmac.update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`).update(body);
  const right = Buffer.from("v1," + hmac.digest("base64"));
  const genuine = headers["webhook-signature"].split(" ").map(one => Buffer.from(one))
    .some(one => one.length === right.length && timingSafeEqual(one, right));
  return genuine && Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300;
}
"""
