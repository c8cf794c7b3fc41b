package dev.cassidy.examples.shop;

public record Order(int id, int customerId, int productId, int quantity) {}
