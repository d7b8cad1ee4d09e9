package dev.skipjack.dashboard;

/** Ends the processing of a request with a status code and a sentence for the user. */
final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;

  Refusal(int status, String sentence) {
    super(sentence, null, false, false);
    this.status = status;
  }

  static Refusal notFound(String sentence) {
    return new Refusal(404, sentence);
  }

  static Refusal forbidden(String sentence) {
    return new Refusal(403, sentence);
  }

  static Refusal badInput(String sentence) {
    return new Refusal(400, sentence);
  }

  int status() {
    return status;
  }

  String sentence() {
    return String.valueOf(getMessage());
  }
}
