package dev.cassidy.examples.shop;

public record Customer(int id, String name, String email) {}
