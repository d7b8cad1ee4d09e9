package dev.skipjack.store.jooq.internal.payload;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.spi.SafeText;

/**
 * Checks payloads and results before any SQL runs, because a server error would abort the caller's
 * transaction.
 */
public final class PayloadLimits {

  /**
   * The default limit of a payload, in bytes of UTF-8: 256 KiB. A payload should contain ids and no
   * documents.
   */
  public static final int LARGEST = 256 * 1024;

  /**
   * The factor by which a document may exceed the limit as PostgreSQL returns it. Blanks make a
   * document without exponents grow by at most half.
   */
  private static final int WRITTEN_FACTOR = 2;

  /** The limit of a patch. Each member of the patch makes PostgreSQL copy a payload. */
  private static final int LARGEST_PATCH = 16 * 1024;

  private static final int LEAST_LIMIT = 1024;
  private static final int GREATEST_LIMIT = 16 * 1024 * 1024;

  private final int largest;

  /**
   * Creates limits for payloads of the given size.
   *
   * @param largest the limit in bytes of UTF-8, 1 KiB to 16 MiB
   */
  public PayloadLimits(int largest) {
    if (largest < LEAST_LIMIT || largest > GREATEST_LIMIT) {
      throw new IllegalArgumentException(
          "Payload limit of %,d bytes is not in %,d..%,d."
              .formatted(largest, LEAST_LIMIT, GREATEST_LIMIT));
    }
    this.largest = largest;
  }

  /**
   * Returns {@code json} if it may be stored as the payload of a new job of {@code kind}.
   *
   * @throws PayloadException with the reason and, if a value is invalid, its position as a JSON
   *     pointer
   */
  public String require(String kind, String json) {
    return requirePayload(of("Payload", kind), json);
  }

  /**
   * Returns {@code json} if it may be stored as the payload of an existing job.
   *
   * @throws PayloadException as for {@link #require(String, String)}
   */
  public String require(JobId job, String json) {
    return requirePayload("Payload of job " + job, json);
  }

  private String requirePayload(String what, String json) {
    if (scan(what, "enqueue", json).isNull()) {
      throw new PayloadException(
          "%s is null. Use an empty record or object for a job without data.".formatted(what),
          null);
    }
    return json;
  }

  /**
   * Returns {@code json} if it may be stored as a result. The JSON value null is a valid result.
   *
   * @throws PayloadException as for {@link #require(String, String)}
   */
  public String requireResult(String kind, String json) {
    scan(of("Result", kind), "return", json);
    return json;
  }

  /**
   * Returns {@code json} if it may be applied to payloads as a merge patch.
   *
   * @throws PayloadException as for {@link #require(String, String)}, or if it is not an object
   */
  public static String requirePatch(String json) {
    String what = "Payload patch";
    JsonScan unused = new PayloadLimits(LARGEST_PATCH).scan(what, "set", json);
    if (!json.strip().startsWith("{")) {
      throw new PayloadException(
          "%s '%s' is not a JSON object. Use for example {\"field\": 1}, or {\"field\": null} to remove a field."
              .formatted(what, SafeText.of(json, 80)),
          null);
    }
    return json;
  }

  /** Returns the limit of a stored payload, in bytes as PostgreSQL writes it. */
  public long largestWritten() {
    return (long) WRITTEN_FACTOR * largest;
  }

  private static String of(String what, String kind) {
    return "%s of kind '%s'".formatted(what, kind);
  }

  private JsonScan scan(String what, String instead, String json) {
    long bytes = utf8Length(json);
    if (bytes > largest) {
      throw new PayloadException(
          "%s has %,d bytes; %,d are allowed. Store the document elsewhere and %s its id."
              .formatted(what, bytes, largest, instead),
          null);
    }
    JsonScan scan = new JsonScan(json);
    String problem = scan.problem();
    if (problem != null) {
      throw new PayloadException("%s %s, at %s.".formatted(what, problem, scan.place()), null);
    }
    long written = bytes + scan.growth();
    long mostWritten = largestWritten();
    if (written > mostWritten) {
      throw new PayloadException(
          ("%s has %,d bytes, and %,d once its numbers are written out; %,d are allowed."
                  + " Send numbers with large exponents as strings, or store the document elsewhere"
                  + " and %s its id.")
              .formatted(what, bytes, written, mostWritten, instead),
          null);
    }
    return scan;
  }

  /**
   * Returns the length of a string in bytes of UTF-8. A lone surrogate, which is rejected later,
   * counts as two bytes.
   */
  private static long utf8Length(String text) {
    long bytes = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        // Each half of a surrogate pair counts as two of its four bytes.
        bytes += c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
      }
    }
    return bytes;
  }
}
