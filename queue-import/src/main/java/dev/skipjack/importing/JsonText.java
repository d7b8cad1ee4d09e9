package dev.skipjack.importing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Checks that a payload is JSON that the queue accepts. */
final class JsonText {

  private static final int LONGEST = 262_144;
  private static final int DEEPEST = 100;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
          .build();

  private JsonText() {}

  /** Thrown if a row cannot be moved. The message begins in lower case. */
  static final class Rejected extends Exception {

    private static final long serialVersionUID = 1L;

    Rejected(String reason) {
      super(reason);
    }
  }

  /** Returns the document, which the data contains in UTF-8. */
  static String of(byte[] data) throws Rejected {
    if (SerializedPayload.isSerialized(data)) {
      String type = SerializedPayload.className(data);
      throw new Rejected(
          "data in Java serialization (%s): import it in the application, with SerializedPayload"
              .formatted(type.isEmpty() ? "no object" : type));
    }
    try {
      return require(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString());
    } catch (CharacterCodingException notText) {
      throw new Rejected("data is not text");
    }
  }

  /** Returns the document if the queue accepts it as a payload. */
  static String require(String json) throws Rejected {
    if (json.getBytes(StandardCharsets.UTF_8).length > LONGEST) {
      throw new Rejected("data is larger than 256 KiB");
    }
    try (JsonParser parser = FACTORY.createParser(json)) {
      JsonToken first = parser.nextToken();
      if (first == null || first == JsonToken.VALUE_NULL) {
        throw new Rejected("data is empty or null");
      }
      JsonToken token = first;
      while (token != null) {
        if ((token == JsonToken.VALUE_STRING || token == JsonToken.FIELD_NAME)
            && parser.getText().indexOf('\0') >= 0) {
          throw new Rejected("data contains the character U+0000");
        }
        boolean whole = parser.getParsingContext().inRoot() && !token.isStructStart();
        token = parser.nextToken();
        if (whole && token != null) {
          throw new Rejected("data is not JSON");
        }
      }
      return json;
    } catch (IOException invalid) {
      throw new Rejected("data is not JSON");
    }
  }
}
