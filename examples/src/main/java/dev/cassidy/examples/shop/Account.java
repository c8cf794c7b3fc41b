package dev.cassidy.examples.shop;

import java.time.Instant;

public record Account(String username, String language, Instant created) {}
