package dev.skipjack.cli;

import java.util.UUID;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

final class EventIdText implements ITypeConverter<UUID> {

  @Override
  public UUID convert(String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException noId) {
      throw new TypeConversionException(
          "'%s' is not the id of an event, which is a UUID.".formatted(text));
    }
  }
}
