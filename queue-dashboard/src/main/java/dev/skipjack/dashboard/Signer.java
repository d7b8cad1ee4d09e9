package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs texts with a key that only this dashboard knows. Thread-safe. */
final class Signer {

  private static final String ALGORITHM = "HmacSHA256";
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int RANDOM_BYTES = 24;

  private final SecretKeySpec key;

  Signer(byte[] key) {
    this.key = new SecretKeySpec(key, ALGORITHM);
  }

  /** Returns the signature of several texts. Their lengths are signed too. */
  String sign(String... texts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (String text : texts) {
        byte[] bytes = text.getBytes(UTF_8);
        mac.update((bytes.length + ":").getBytes(UTF_8));
        mac.update(bytes);
      }
      return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every JVM has " + ALGORITHM + ".", impossible);
    }
  }

  /** Returns whether a signature is that of these texts, in a time that does not depend on it. */
  boolean verifies(String signature, String... texts) {
    return same(signature, sign(texts));
  }

  static boolean same(String one, String other) {
    return MessageDigest.isEqual(one.getBytes(UTF_8), other.getBytes(UTF_8));
  }

  static String random() {
    byte[] bytes = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
