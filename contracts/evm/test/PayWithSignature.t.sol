// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, AuthorizationKind, Split} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";
import {HonestWallet} from "./mocks/Wallets.sol";

contract PayWithSignatureTest is Fixture {
    function _pay(uint64 code, uint64 payoutId, Authorization memory a) internal {
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        processor.payWithSignature(address(token), code, payoutId, a, v, r, s);
    }

    function test_anExactPaymentPaysMerchantAndFee() public {
        Authorization memory a = _authorization(payer, 10_000);
        vm.expectEmit(address(processor));
        emit PaymentSettled(7, payer, address(token), PLAIN, 10_000, 10_000, 50);
        _pay(7, PLAIN, a);
        assertEq(token.balanceOf(merchant), 9_950);
        assertEq(token.balanceOf(feeTo), 50);
        assertEq(token.balanceOf(payer), FUNDS - 10_000);
        assertEq(_processorBalance(), 0);
        assertTrue(processor.isSettled(7));
        assertFalse(processor.isSettled(6));
        assertFalse(processor.isSettled(8));
    }

    function test_splitsAreRoundedDownAndTheRemainderIsTheMerchants() public {
        _pay(1, SPLIT, _authorization(payer, 9_999));
        assertEq(token.balanceOf(partner), 999);
        assertEq(token.balanceOf(affiliate), 332);
        assertEq(token.balanceOf(feeTo), 249);
        assertEq(token.balanceOf(merchant), 9_999 - 999 - 332 - 249);
    }

    function test_aSignatureInBytesPaysAlike() public {
        Authorization memory a = _authorization(payer, 10_000);
        bytes memory signature = _signature(PAYER_KEY, a);
        vm.prank(operator);
        processor.payWithSignature(address(token), 7, PLAIN, a, signature);
        assertEq(token.balanceOf(merchant), 9_950);
    }

    function test_aContractWalletPaysWithALongSignature() public {
        address wallet = address(new HonestWallet(payer));
        token.mint(wallet, 10_000);
        Authorization memory a = _authorization(wallet, 10_000);
        bytes memory signature = abi.encodePacked(_signature(PAYER_KEY, a), "tail");
        vm.prank(operator);
        processor.payWithSignature(address(token), 7, PLAIN, a, signature);
        assertEq(token.balanceOf(merchant), 9_950);
    }

    function test_receiveWithAuthorizationPaysInBothForms() public {
        Authorization memory a = _authorization(payer, 10_000);
        a.kind = AuthorizationKind.Receive;
        _pay(1, PLAIN, a);
        address wallet = address(new HonestWallet(payer));
        token.mint(wallet, 10_000);
        a = _authorization(wallet, 10_000);
        a.kind = AuthorizationKind.Receive;
        bytes memory signature = abi.encodePacked(_signature(PAYER_KEY, a), "tail");
        vm.prank(operator);
        processor.payWithSignature(address(token), 2, PLAIN, a, signature);
        assertEq(token.balanceOf(merchant), 2 * 9_950);
    }

    function test_anIntentSettlesOnce() public {
        _pay(7, PLAIN, _authorization(payer, 100));
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(IntentAlreadySettled.selector, 7));
        processor.payWithSignature(address(token), 7, PLAIN, a, v, r, s);
    }

    function test_anUnknownPayoutIsRefused() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(PayoutInactive.selector, 99));
        processor.payWithSignature(address(token), 7, 99, a, v, r, s);
    }

    function test_zeroIsNoPayment() public {
        Authorization memory a = _authorization(payer, 0);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(AmountOutOfRange.selector, 0, 0));
        processor.payWithSignature(address(token), 7, PLAIN, a, v, r, s);
    }

    function test_aTokenThatIsNotEnabledIsRefused() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TokenNotEnabled.selector, stranger));
        processor.payWithSignature(stranger, 7, PLAIN, a, v, r, s);
    }

    function test_tooLittleMoneyMovesNothing() public {
        Authorization memory a = _authorization(payer, FUNDS + 1);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        vm.expectPartialRevert(PullFailed.selector);
        processor.payWithSignature(address(token), 7, PLAIN, a, v, r, s);
        assertFalse(processor.isSettled(7));
        assertEq(processor.spentRecently(operator, address(token)), 0);
    }

    function test_aBlockedSplitIsKeptAndTheOthersArePaid() public {
        token.setBlacklisted(partner, true);
        vm.expectEmit(address(processor));
        emit Escrowed(address(token), partner, 1_000);
        _pay(1, SPLIT, _authorization(payer, 10_000));
        assertEq(processor.owed(address(token), partner), 1_000);
        assertEq(processor.totalOwed(address(token)), 1_000);
        assertEq(_processorBalance(), 1_000);
        assertEq(processor.surplus(address(token)), 0);
        assertEq(token.balanceOf(merchant), 10_000 - 1_000 - 333 - 250);
    }

    function testFuzz_everyUnitIsAccountedFor(uint256 amount, uint16 feeBps, uint16[8] memory bps, uint8 count) public {
        amount = bound(amount, 1, FUNDS);
        feeBps = uint16(bound(feeBps, 0, 1_000));
        Split[] memory splits = new Split[](bound(count, 0, 8));
        uint256 left = 10_000 - feeBps;
        uint256 paid;
        for (uint256 i; i < splits.length; ++i) {
            splits[i] = Split(address(uint160(0x9000 + i)), uint16(bound(bps[i], 1, left / (8 - i))));
            left -= splits[i].bps;
        }
        _register(50, merchant, feeBps, splits);
        _pay(5, 50, _authorization(payer, amount));
        for (uint256 i; i < splits.length; ++i) {
            assertEq(token.balanceOf(splits[i].to), amount * splits[i].bps / 10_000);
            paid += token.balanceOf(splits[i].to);
        }
        assertEq(token.balanceOf(feeTo), amount * feeBps / 10_000);
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo) + paid, amount);
        assertEq(_processorBalance(), 0);
    }

    function testFuzz_aMarkedIntentTouchesNoOther(uint64 code, uint64 other) public {
        vm.assume(code != other);
        _pay(code, PLAIN, _authorization(payer, 100));
        assertTrue(processor.isSettled(code));
        assertFalse(processor.isSettled(other));
    }
}
