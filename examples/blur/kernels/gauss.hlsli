// The right half of a Gaussian bell at seventeen places from its middle (weight 1) to three standard deviations.

static const uint PROFILE_STEPS = 16;

static const float PROFILE[PROFILE_STEPS + 1] = {
    1.0000000, 0.9825755, 0.9321025, 0.8536764, 0.7548396, 0.6443887, 0.5310960, 0.4226004, 0.3246525,
    0.2407905, 0.1724216, 0.1191999, 0.0795595, 0.0512673, 0.0318948, 0.0191572, 0.0111090
};

// Weight of a sample at `distance` texels, for a blur that reaches `radius` texels.
float gauss(uint distance, uint radius)
{
    float place = float(distance * PROFILE_STEPS) / float(max(radius, 1u));
    uint step = min(uint(place), PROFILE_STEPS - 1);
    return lerp(PROFILE[step], PROFILE[step + 1], place - float(step));
}
