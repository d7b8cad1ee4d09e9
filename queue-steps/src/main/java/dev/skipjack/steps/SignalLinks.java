package dev.skipjack.steps;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.api.JobId;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes and uses signed links, each of which sends a certain signal to a certain job. A link is a
 * token for the URL of the application, signed with HMAC-SHA256. It contains the payload, which is
 * signed but not encrypted. All links for the same job and name together work once: approving makes
 * the link that rejects invalid.
 *
 * <p>Programs that scan mails open the links in them. Let the page behind the link show a button,
 * and call {@link #use} when the button is pressed.
 *
 * <p>Safe for any number of threads.
 */
public final class SignalLinks {

  private static final String ALGORITHM = "HmacSHA256";
  private static final int SHORTEST_SECRET = 32;
  private static final Duration LONGEST_VALIDITY = Duration.ofDays(366);

  /** A longer token cannot come from {@link #sign}: base64 of a name and a payload. */
  private static final int LONGEST_TOKEN = 1_500_000;

  /** The version of the format, the expiry, the job, and the length of the name. */
  private static final int HEAD = 1 + Long.BYTES + Long.BYTES + Short.BYTES;

  private static final byte FORMAT = 1;

  private final Signals signals;
  private final SecretKeySpec key;
  private final Clock clock;

  SignalLinks(Signals signals, byte[] secret) {
    this(signals, secret, Clock.systemUTC());
  }

  SignalLinks(Signals signals, byte[] secret, Clock clock) {
    if (secret.length < SHORTEST_SECRET) {
      throw new IllegalArgumentException(
          "The secret of signed links has %d bytes; use at least %d random ones."
              .formatted(secret.length, SHORTEST_SECRET));
    }
    this.signals = signals;
    this.key = new SecretKeySpec(secret, ALGORITHM);
    this.clock = clock;
  }

  /**
   * {@return a token that sends a signal, of the characters A-Z, a-z, 0-9, '-', '_' and '.'}
   *
   * @param job the job
   * @param name the name of the signal
   * @param payload what the job receives; keep it small, because it is part of the URL
   * @param validFor how long the token works, by the clocks of the processes that make and use it;
   *     positive and at most 366 days
   * @throws IllegalArgumentException if the name or the duration is out of range
   */
  public String sign(JobId job, String name, Object payload, Duration validFor) {
    if (validFor.isNegative() || validFor.isZero() || validFor.compareTo(LONGEST_VALIDITY) > 0) {
      throw new IllegalArgumentException(
          "Validity %s of a signed link must be more than 0 and at most 366 days."
              .formatted(validFor));
    }
    byte[] nameBytes = StepNames.require("Signal name", name).getBytes(UTF_8);
    byte[] json = signals.encode(name, payload).getBytes(UTF_8);
    ByteBuffer content = ByteBuffer.allocate(HEAD + nameBytes.length + json.length);
    content.put(FORMAT);
    content.putLong(clock.instant().plus(validFor).toEpochMilli());
    content.putLong(job.value());
    content.putShort((short) nameBytes.length);
    content.put(nameBytes);
    content.put(json);
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    return base64.encodeToString(content.array())
        + "."
        + base64.encodeToString(signature(content.array()));
  }

  /**
   * Sends the signal of a token. A job may take it for 366 days.
   *
   * @param token the token; any text, because it comes from a request
   * @param sentBy who used it, 1 to 200 bytes in UTF-8
   * @return what happened to the signal
   * @throws IllegalArgumentException if {@code sentBy} is empty or too long
   */
  public SignalResult use(String token, String sentBy) {
    SignalOptions options = SignalOptions.DEFAULTS.sentBy(sentBy);
    byte[] content = content(token);
    if (content.length < HEAD || content[0] != FORMAT) {
      return SignalResult.INVALID;
    }
    ByteBuffer fields = ByteBuffer.wrap(content, 1, content.length - 1);
    long expiresAt = fields.getLong();
    JobId job = new JobId(fields.getLong());
    byte[] name = new byte[fields.getShort()];
    fields.get(name);
    byte[] json = new byte[fields.remaining()];
    fields.get(json);
    Duration left = Duration.ofMillis(expiresAt - clock.millis());
    if (left.isNegative() || left.isZero()) {
      return SignalResult.EXPIRED;
    }
    return signals.send(
        new SignalStatement.Request(
            "job/" + job,
            new String(name, UTF_8),
            new String(json, UTF_8),
            options.sentBy(),
            LONGEST_VALIDITY, // the row must exist as long as another link for the wait may be used
            linkId(job, name)));
  }

  /** Returns the signed content of a token, or an empty array if the token is not valid. */
  private byte[] content(String token) {
    int dot = token.indexOf('.');
    if (dot < 0 || token.length() > LONGEST_TOKEN) {
      return new byte[0];
    }
    try {
      Base64.Decoder base64 = Base64.getUrlDecoder();
      byte[] content = base64.decode(token.substring(0, dot));
      byte[] signature = base64.decode(token.substring(dot + 1));
      return MessageDigest.isEqual(signature, signature(content)) ? content : new byte[0];
    } catch (IllegalArgumentException notBase64) {
      return new byte[0];
    }
  }

  /** Returns what all links for a wait have in common. */
  private static String linkId(JobId job, byte[] name) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update(("job/" + job + "/").getBytes(UTF_8));
      return HexFormat.of().formatHex(sha256.digest(name));
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException(missing); // every JDK has it
    }
  }

  private byte[] signature(byte[] content) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac.doFinal(content);
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException(missing); // every JDK has it
    }
  }
}
