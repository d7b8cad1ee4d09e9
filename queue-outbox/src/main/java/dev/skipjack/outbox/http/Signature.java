package dev.skipjack.outbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs messages with one secret: HMAC-SHA256 over id, time and body, separated by dots, in Base64.
 * Source: the Standard Webhooks specification, symmetric signatures ({@code v1}).
 */
final class Signature {

  private static final String PREFIX = "whsec_";
  private static final String ALGORITHM = "HmacSHA256";
  private static final int SHORTEST = 24;
  private static final int LONGEST = 64;

  private final SecretKeySpec key;

  Signature(byte[] secret) {
    if (secret.length < SHORTEST || secret.length > LONGEST) {
      throw new IllegalArgumentException(
          "The secret has %d bytes; use %d to %d random bytes."
              .formatted(secret.length, SHORTEST, LONGEST));
    }
    this.key = new SecretKeySpec(secret, ALGORITHM);
  }

  static byte[] decode(String secret) {
    if (!secret.startsWith(PREFIX)) {
      throw new IllegalArgumentException(
          "The secret does not start with '%s'. Write %s and the Base64 text of the bytes."
              .formatted(PREFIX, PREFIX));
    }
    try {
      return Base64.getDecoder().decode(secret.substring(PREFIX.length()));
    } catch (IllegalArgumentException notBase64) {
      throw new IllegalArgumentException( // without its cause, which quotes the secret
          "The secret is not valid Base64 after '%s'.".formatted(PREFIX));
    }
  }

  String of(String id, long seconds, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update("%s.%d.".formatted(id, seconds).getBytes(UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JVM has HMAC-SHA256.", e);
    }
  }
}
